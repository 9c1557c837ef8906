package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedAdapters;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Adapters that are added to a hosted model and removed from it, with requests that use them. */
@Timeout(300)
class HostedLoraTest {
    private static final ModelSettings SETTINGS = Cpu.settings(512, 2, Cpu.F16);
    private static final RandomModel SPEC =
            RandomModel.of(new DecoderModel(DecoderLayout.QWEN3MOE, 1, TensorType.Q8_0));
    private static final DeviceReference HERE = DeviceReference.parse("cpu:0");
    private static final DeviceReference THERE = DeviceReference.parse("cpu:0@process");

    @TempDir Path folder;

    private Path file;
    private Path adapters;
    private final MemoryClaims claims = new MemoryClaims();
    private final int[] prompt = SPEC.tokens(300, 1);

    @BeforeEach
    void writeModel() throws Exception {
        file = SPEC.write(Files.createDirectories(folder.resolve("models")));
        adapters = Files.createDirectories(folder.resolve("adapters"));
        write("below/style.gguf", 1);
    }

    private Path write(String name, long seed) throws IOException {
        Path target = adapters.resolve(name);
        Files.createDirectories(target.getParent());
        Path fresh = RandomAdapter.write(file, folder.resolve("fresh.gguf"), seed);
        return Files.move(fresh, target, StandardCopyOption.REPLACE_EXISTING);
    }

    private PreparedModel prepare(ModelSettings settings, DeviceReference... devices) {
        DeviceSettings where =
                DeviceSettings.best()
                        .with(
                                devices.length == 1
                                        ? PlacementRequest.single(devices[0])
                                        : PlacementRequest.of(
                                                List.of(devices), new SplitRule.Equal()))
                        .with(claims)
                        .withThreads(1);
        return PreparedModel.open(
                new HostSettings(
                                file,
                                settings,
                                where,
                                Cpu.plugins(folder.resolve("plugins.jar"), folder.resolve("cache")),
                                ShardProcessSettings.none())
                        .withAdapterFolders(List.of(adapters)),
                new ModelLoadListener() {});
    }

    private static LoraScales scale(HostedAdapters.Added adapter) {
        List<Float> scales = new ArrayList<>(Collections.nCopies(adapter.number(), 0f));
        scales.add(0.5f);
        List<String> contents = new ArrayList<>(Collections.nCopies(adapter.number(), ""));
        contents.add(adapter.content());
        return new LoraScales(scales, contents);
    }

    private int[] tokens(HostedModel model, LoraScales scales) throws Exception {
        Answer answer = Answer.adapted(prompt, 16, CacheScope.common(), scales);
        answer.submit(model.engine());
        return answer.tokens();
    }

    private int[] loadedWith(Path adapter) throws Exception {
        try (LoadedModel model =
                LoadedModel.load(
                        Cpu.open(file, Map.of(adapter, 0.5f)), Cpu.oneThread(), SETTINGS)) {
            return Answer.ask(model.engine(), prompt, 16).tokens();
        }
    }

    @Test
    void requestsUseAnAddedAdapterOnAllShards() throws Exception {
        int[] expected = loadedWith(adapters.resolve("below/style.gguf"));
        ShardProgram program =
                ShardProgram.install(
                        file.getParent(), Files.createDirectories(folder.resolve("installed")));
        List<String> command = program.command();
        command.addAll(List.of("--lora-dir", adapters.toString()));
        PreparedModel prepared = prepare(SETTINGS, HERE, THERE);
        try (HostedModel model =
                prepared.load(
                        prepared.shards(
                                device -> program.child(program.launch("child", command))))) {
            int[] plain = tokens(model, LoraScales.AS_LOADED);

            HostedAdapters.Added added = model.changingAdapters().add("below/style.gguf");

            assertEquals(0, added.number());
            assertArrayEquals(expected, tokens(model, scale(added)));
            assertArrayEquals(plain, tokens(model, LoraScales.AS_LOADED));
        }
    }

    @Test
    void replicasUseAnAddedAdapter() throws Exception {
        int[] expected = loadedWith(adapters.resolve("below/style.gguf"));
        try (HostedModel model = prepare(SETTINGS.withReplicas(2), HERE).load()) {
            HostedAdapters.Added added = model.changingAdapters().add("below/style.gguf");
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answers.add(Answer.adapted(prompt, 16, CacheScope.none(), scale(added)));
                answers.getLast().submit(model.engine());
            }

            for (Answer answer : answers) {
                assertArrayEquals(expected, answer.tokens());
            }
        }
    }

    @Test
    void aRequestKeepsItsAdapterUntilItEnds() throws Exception {
        int[] expected = loadedWith(adapters.resolve("below/style.gguf"));
        try (HostedModel model = prepare(SETTINGS, HERE).load()) {
            HostedAdapters.Added added = model.changingAdapters().add("below/style.gguf");
            AtomicReference<CompletableFuture<Void>> freed = new AtomicReference<>();
            Answer answer = Answer.adapted(prompt, 16, CacheScope.none(), scale(added));
            answer.atToken(3, () -> freed.set(model.changingAdapters().remove(added.number())));
            answer.atToken(12, () -> assertFalse(freed.get().isDone()));

            answer.submit(model.engine());

            assertArrayEquals(expected, answer.tokens());
            freed.get().get(60, TimeUnit.SECONDS);
            VarveException refused =
                    assertThrows(VarveException.class, () -> tokens(model, scale(added)));
            assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
        }
    }

    @Test
    void anotherFileWithTheSameNameAndNumberReusesNothing() throws Exception {
        try (HostedModel model = prepare(SETTINGS, HERE).load()) {
            HostedAdapters.Added first = model.changingAdapters().add("below/style.gguf");
            tokens(model, scale(first));
            model.changingAdapters().remove(first.number()).get(60, TimeUnit.SECONDS);
            Path replaced = write("below/style.gguf", 2);

            HostedAdapters.Added second = model.changingAdapters().add("below/style.gguf");

            assertEquals(first.number(), second.number());
            assertArrayEquals(loadedWith(replaced), tokens(model, scale(second)));
        }
    }

    /** Free memory that caches or other models will use is no memory for adapters. */
    @Test
    void anAdapterIsRefusedIfItsMemoryIsClaimed() throws Exception {
        try (HostedModel model = prepare(SETTINGS, HERE).load()) {
            MemoryClaims.Claim rest =
                    claims.claim(
                            Map.of(HERE, Long.MAX_VALUE / 2), device -> Cpu.oneThread().info());

            VarveException refused =
                    assertThrows(
                            VarveException.class,
                            () -> model.changingAdapters().add("below/style.gguf"));

            assertEquals(VarveException.Kind.OUT_OF_MEMORY, refused.kind());
            assertTrue(refused.getMessage().contains("style.gguf"), refused.getMessage());
            rest.close();
            HostedAdapters.Added added = model.changingAdapters().add("below/style.gguf");
            assertTrue(tokens(model, scale(added)).length > 0);
        }
    }

    @Test
    void filesElsewhereAreRefused() throws Exception {
        try (HostedModel model = prepare(SETTINGS, HERE).load()) {
            VarveException refused =
                    assertThrows(
                            VarveException.class,
                            () -> model.changingAdapters().add(file.toString()));

            assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
            assertTrue(refused.getMessage().contains(adapters.toString()), refused.getMessage());
        }
    }
}
