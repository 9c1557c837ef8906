package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.TensorSelection;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.ExpertReadForecast;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.WeightLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Models with streamed experts, as a host plans and loads them. */
class HostedStreamingTest {
    private static final RandomModel SPEC = Family.LAGUNA.odd(1);
    private static final long CACHE = 1 << 20;

    @TempDir Path folder;

    private final List<String> notes = new ArrayList<>();

    private final ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);

    private ModelSettings streamed(long cacheBytes) {
        return settings.with(
                settings.computation().with(WeightLayout.STREAMED).withExpertCache(cacheBytes));
    }

    private PreparedModel prepare(Path file, PlacementRequest devices, ModelSettings how) {
        return PreparedModel.open(
                new HostSettings(
                        file,
                        how,
                        DeviceSettings.best().with(devices).withThreads(1),
                        Cpu.plugins(folder.resolve("plugins.jar"), folder.resolve("cache")),
                        ShardProcessSettings.none()),
                new ModelLoadListener() {
                    @Override
                    public void note(String text) {
                        notes.add(text);
                    }
                });
    }

    private static PlacementRequest on(String device) {
        return PlacementRequest.single(DeviceReference.parse(device));
    }

    private static TensorSelection weights(OpenedModel model) {
        return model.adapter().tensors(model.shape().allLayers());
    }

    private static SplitMemoryPlan plan(OpenedModel model, ModelSettings how, long free) {
        DeviceInfo info = Cpu.device().info();
        return SplitMemoryPlan.of(
                model.adapter(),
                Placement.single(DeviceReference.PROCESSOR, model.shape().allLayers()),
                device ->
                        new DeviceInfo(
                                info.name(),
                                info.description(),
                                info.memoryTotalBytes(),
                                free,
                                info.hostCores()),
                how);
    }

    @Test
    void planCountsTheCacheInPlaceOfExperts() throws Exception {
        PreparedModel prepared = prepare(SPEC.write(folder), on("cpu:0"), streamed(CACHE));
        TensorSelection weights = weights(prepared.model());

        SplitForecast forecast = prepared.forecast(Age.ANY);

        assertEquals(
                ExpertCacheShare.denseBytes(weights) + CACHE,
                forecast.parts().getFirst().memory().memory().need().weightBytes());
        ExpertReadForecast reads = forecast.reads().orElseThrow();
        assertEquals(CACHE, reads.cacheBytes());
        assertTrue(reads.bytesPerToken() > 0 && reads.bytesPerSecond() > 0, reads.toString());
        assertTrue(
                notes.stream()
                        .anyMatch(note -> note.startsWith(Setting.EXPERT_CACHE + ": 1.0 MiB for ")),
                notes.toString());
    }

    @Test
    void modelLargerThanFreeMemoryIsAdmitted() throws Exception {
        OpenedModel model = Cpu.open(SPEC.write(folder), settings.modelOptions());
        TensorSelection weights = weights(model);
        long free =
                plan(model, settings, 1L << 40).parts().getFirst().memory().need().totalBytes() - 1;
        long smallCache = ExpertCacheShare.expertBytes(weights) / 2;

        assertThrows(VarveException.class, () -> plan(model, settings, free));
        SplitMemoryPlan plan = plan(model, streamed(smallCache), free);

        assertEquals(
                ExpertCacheShare.denseBytes(weights) + smallCache,
                plan.parts().getFirst().memory().need().weightBytes());
    }

    /** Without a size, the free memory determines it; replicas share the cache. */
    @Test
    void replicasAnswerAsAPlainModel() throws Exception {
        Path file = SPEC.write(folder);
        int[] prompt = SPEC.tokens(40, 3);
        int[] expected;
        try (LoadedModel plain =
                Cpu.load(
                        file,
                        settings.with(settings.computation().with(WeightLayout.AS_IN_FILE)))) {
            expected = Answer.ask(plain.engine(), prompt, 12).tokens();
        }
        for (long cache : new long[] {0, CACHE}) {
            try (HostedModel model =
                    prepare(file, on("cpu:0"), streamed(cache).withReplicas(2)).load()) {
                assertArrayEquals(expected, Answer.ask(model.engine(), prompt, 12).tokens());
            }
        }
    }

    @Test
    void useOfExpertsIsRecordedInTheCacheFolder() throws Exception {
        Path file = SPEC.write(folder);
        int[] prompt = SPEC.tokens(40, 3);
        try (HostedModel model = prepare(file, on("cpu:0"), streamed(CACHE)).load()) {
            Answer.ask(model.engine(), prompt, 12).tokens();
        }
        try (Stream<Path> records = Files.list(folder.resolve("cache/experts"))) {
            assertEquals(1, records.count());
        }
    }

    private static void expectRefusal(String expected, Runnable preparation) {
        VarveException refusal = assertThrows(VarveException.class, preparation::run);
        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(
                refusal.getMessage().startsWith(Setting.WEIGHTS + ": stream: " + expected),
                refusal.getMessage());
    }

    @Test
    void otherPlacesThanProcessorsAreRefused() throws Exception {
        Path file = SPEC.write(folder);
        expectRefusal(
                "cannot be combined with " + Setting.OVERRIDE_TENSOR,
                () ->
                        prepare(
                                file,
                                on("cpu:0")
                                        .with(
                                                new TensorRules(
                                                        TensorRule.parseNamed("_exps=cpu:1"))),
                                streamed(CACHE)));
    }

    @Test
    void modelWithoutExpertsIsRefused() throws Exception {
        Path file = Family.QWEN3.odd(1).write(folder);

        expectRefusal(
                "the model has no experts", () -> prepare(file, on("cpu:0"), streamed(CACHE)));
    }
}
