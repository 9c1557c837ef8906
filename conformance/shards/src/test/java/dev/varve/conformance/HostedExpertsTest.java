package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedAdapters;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.LoraSettings;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.OtherDeviceMemory;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Models with experts on another backend, as a host plans and loads them. */
class HostedExpertsTest {
    private static final RandomModel SPEC = Family.LAGUNA.odd(1);
    private static final int[] PROMPT = SPEC.tokens(40, 3);
    private static final int TOKENS = 12;

    @TempDir Path folder;

    private Path file;
    private final ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);

    /** A backend {@code second} that computes on the processor. */
    private record Second(DeviceBackend processor) implements DeviceBackendProvider, DeviceBackend {
        @Override
        public String name() {
            return "second";
        }

        @Override
        public String ggmlVersion() {
            return new CpuBackendProvider().ggmlVersion();
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            return this;
        }

        /** Not on the host's cores, so that it has a memory of its own. */
        @Override
        public List<DeviceInfo> devices() {
            DeviceInfo info = processor.devices().getFirst();
            return List.of(
                    new DeviceInfo(
                            "second:0",
                            info.description(),
                            info.memoryTotalBytes(),
                            info.memoryFreeBytes(),
                            false));
        }

        @Override
        public ComputeDevice open(int index, DeviceOptions options) {
            ComputeDevice device = processor.open(index, options);
            Object lock = new Object();
            return (ComputeDevice)
                    Proxy.newProxyInstance(
                            HostedExpertsTest.class.getClassLoader(),
                            new Class<?>[] {ComputeDevice.class},
                            (_, method, arguments) ->
                                    switch (method.getName()) {
                                        case "info" -> devices().getFirst();
                                        case "lock" -> lock;
                                        default -> {
                                            try {
                                                yield method.invoke(device, arguments);
                                            } catch (InvocationTargetException e) {
                                                throw e.getCause();
                                            }
                                        }
                                    });
        }
    }

    @BeforeEach
    void writeModel() throws Exception {
        file = SPEC.write(folder);
    }

    private PreparedModel prepare(String layers, String rules, ModelSettings how) {
        return prepare(
                how,
                DeviceSettings.best()
                        .with(
                                PlacementRequest.single(DeviceReference.parse(layers))
                                        .with(new TensorRules(TensorRule.parseNamed(rules)))));
    }

    private PreparedModel prepare(ModelSettings how, DeviceSettings devices) {
        return PreparedModel.open(host(file, how, devices), new ModelLoadListener() {});
    }

    private HostSettings host(Path file, ModelSettings how, DeviceSettings devices) {
        DeviceBackend processor =
                new CpuBackendProvider()
                        .open(Cpu.plugins(file, folder).backendOptions(PeerAccess.THROUGH_HOST));
        return new HostSettings(
                file,
                how,
                devices.withThreads(1),
                Cpu.plugins(
                        folder.resolve("plugins.jar"),
                        folder.resolve("cache"),
                        new Second(processor)),
                ShardProcessSettings.none());
    }

    /** Tokens of the model with all weights on the processor, and no host. */
    private int[] tokensOnTheProcessor(ModelSettings how) throws Exception {
        try (LoadedModel plain = Cpu.load(file, how)) {
            return tokens(plain.engine());
        }
    }

    private static int[] tokens(Engine engine) throws Exception {
        return Answer.ask(engine, PROMPT, TOKENS).tokens();
    }

    @Test
    void planCountsExpertsOnTheirDevice() {
        SplitForecast forecast = prepare("cpu:0", "_exps=second:0", settings).forecast(Age.ANY);

        OtherDeviceMemory other = forecast.parts().getFirst().memory().others().getFirst();
        assertEquals("second:0", other.memory());
        assertTrue(other.need().weightBytes() > 0);
        assertEquals(List.of(), forecast.reasons());
        assertTrue(forecast.decodeTokensPerSecond() > 1, forecast.toString());
    }

    @Test
    void ruleWithoutEffectIsReported() {
        SplitForecast forecast = prepare("cpu:0", "_exps=CPU", settings).forecast(Age.ANY);

        assertEquals(
                List.of(
                        Setting.OVERRIDE_TENSOR
                                + " has no effect: all weights are on the device of their layer"),
                forecast.reasons());
    }

    /** Replicas share the weights on both devices. */
    @Test
    void replicasAnswerAsAPlainModel() throws Exception {
        int[] expected = tokensOnTheProcessor(settings);
        for (String layers : List.of("cpu:0", "second:0")) {
            String experts = layers.equals("cpu:0") ? "second:0" : "cpu:0";
            try (HostedModel model =
                    prepare(layers, "_exps=" + experts, settings.withReplicas(2)).load()) {
                assertArrayEquals(expected, tokens(model.engine()), layers);
                assertEquals(
                        experts.equals("cpu:0") ? "host" : experts,
                        model.plannedShards().getFirst().others().getFirst().plan().memory());
            }
        }
    }

    /** The matrices of an adapter are on the device of the experts that they change. */
    @Test
    void adaptersOfExpertsElsewhereAnswerAsOnOneDevice() throws Exception {
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 4, 8)
                        .write(
                                folder.resolve("lora.gguf"),
                                1,
                                name -> name.matches("blk.*(_exps|attn_output).weight"));
        ModelSettings two = Cpu.settings(300, 2, Cpu.F16);
        int[] expected;
        int[] without = tokensOnTheProcessor(settings);
        try (LoadedModel whole =
                LoadedModel.load(Cpu.open(file, Map.of(adapter, 1f)), Cpu.device(), settings)) {
            expected = tokens(whole.engine());
        }
        assertFalse(Arrays.equals(without, expected), "the adapter changes the response");
        DeviceSettings devices =
                DeviceSettings.best()
                        .with(
                                PlacementRequest.single(DeviceReference.parse("cpu:0"))
                                        .with(
                                                new TensorRules(
                                                        TensorRule.parseNamed("_exps=second:0"))));
        HostSettings adapted = host(file, two, devices).with(List.of(new LoraSettings(adapter, 1)));
        try (HostedModel model = PreparedModel.open(adapted, new ModelLoadListener() {}).load()) {
            assertArrayEquals(expected, tokens(model.engine()));
            List<Answer> together =
                    Stream.of(0f, 1f)
                            .map(
                                    scale ->
                                            Answer.adapted(
                                                    PROMPT,
                                                    TOKENS,
                                                    CacheScope.none(),
                                                    new LoraScales(List.of(scale))))
                            .toList();
            Answer.submit(model.engine(), together);
            assertArrayEquals(without, together.getFirst().tokens());
            assertArrayEquals(expected, together.getLast().tokens());
        }
        HostSettings plain = host(file, two, devices).withAdapterFolders(List.of(folder));
        try (HostedModel model = PreparedModel.open(plain, new ModelLoadListener() {}).load()) {
            HostedAdapters.Added added = model.changingAdapters().add("lora.gguf");
            LoraScales scales = new LoraScales(List.of(1f), List.of(added.content()));
            Answer answer = Answer.adapted(PROMPT, TOKENS, CacheScope.none(), scales);
            answer.submit(model.engine());
            assertArrayEquals(expected, answer.tokens(), "added later");
        }
    }

    @Test
    void adapterForAnotherModelIsRefusedByItsFlag() throws Exception {
        Path other =
                RandomModel.of(new DecoderModel(DecoderLayout.LLAMA, 1, TensorType.F16))
                        .write(folder);
        Path adapter =
                new RandomAdapter(other, TensorType.F16, 4, 8)
                        .write(folder.resolve("lora.gguf"), 1, name -> name.contains("attn_q."));

        assertTrue(
                refusal(adapter).contains("this adapter is for architecture llama"),
                refusal(adapter));
        assertTrue(refusal(file).contains("expected a LoRA adapter"), refusal(file));
        assertTrue(refusal(adapter).startsWith(Setting.LORA + ": lora.gguf"), refusal(adapter));
    }

    private String refusal(Path adapter) {
        HostSettings adapted =
                host(file, settings, DeviceSettings.best())
                        .with(List.of(new LoraSettings(adapter, 1)));
        return assertThrows(
                        VarveException.class,
                        () -> PreparedModel.open(adapted, new ModelLoadListener() {}))
                .getMessage();
    }

    /** Returns settings for a model on a device, on which other models leave little memory. */
    private static DeviceSettings beside(String device, Map<String, Long> free) {
        MemoryClaims claims = new MemoryClaims();
        for (Map.Entry<String, Long> entry : free.entrySet()) {
            DeviceReference claimed = DeviceReference.parse(entry.getKey());
            DeviceInfo real = Cpu.device().info();
            DeviceInfo info =
                    claims.left(
                            claimed,
                            new DeviceInfo(
                                    entry.getKey(),
                                    real.description(),
                                    real.memoryTotalBytes(),
                                    real.memoryFreeBytes(),
                                    claimed.backend().equals("cpu")));
            claims.claim(
                    Map.of(claimed, info.memoryFreeBytes() - entry.getValue()), unknown -> info);
        }
        return DeviceSettings.best()
                .with(PlacementRequest.single(DeviceReference.parse(device)))
                .with(claims)
                .fitting();
    }

    private static ModelLoadListener collecting(List<String> notes) {
        return new ModelLoadListener() {
            @Override
            public void note(String text) {
                notes.add(text);
            }
        };
    }

    private long bytes(ModelSettings how) {
        return prepare("second:0", "_exps=second:0", how).forecast(Age.ANY).memory().bytesOfAll();
    }

    @Test
    void modelThatDoesNotFitAnswersWithExpertsOrLayersOnTheProcessor() throws Exception {
        int[] expected = tokensOnTheProcessor(settings);
        long all = bytes(settings);
        // Measurements are cached, so the second plan need not measure.
        List<String> notes = new ArrayList<>();
        for (long free : List.of(all - (1 << 20), all / 2)) {
            PreparedModel prepared =
                    PreparedModel.open(
                            host(file, settings, beside("second:0", Map.of("second:0", free))),
                            collecting(notes));

            SplitForecast forecast = prepared.forecast(Age.ANY);

            assertTrue(
                    forecast.reasons().getFirst().startsWith(Setting.FIT + ": second:0 layers"),
                    forecast.reasons().toString());
            // Which of them is the fastest depends on the load of the machine.
            assertTrue(
                    Set.of("second:0", "second:0,cpu:0").contains(forecast.placement().devices()),
                    forecast.reasons().toString());
            assertTrue(
                    notes.toString().contains("measuring cpu:0"),
                    "the processor is measured for the choice: " + notes);
            assertFalse(
                    forecast.reasons().toString().contains("the speed was not measured"),
                    forecast.reasons().toString());
            try (HostedModel model = prepared.load()) {
                assertArrayEquals(expected, tokens(model.engine()));
            }
        }
    }

    @Test
    void modelLargerThanAllMemoryAnswersWithExpertsFromTheFile() throws Exception {
        ModelSettings mapped = settings.with(settings.computation().with(WeightLayout.AS_IN_FILE));
        int[] expected = tokensOnTheProcessor(mapped);
        OpenedModel opened = Cpu.open(file, settings.modelOptions());
        long experts =
                ExpertCacheShare.expertBytes(opened.adapter().tensors(opened.shape().allLayers()));
        long free = bytes(settings) - experts / 2;
        PreparedModel prepared =
                prepare(settings, beside("second:0", Map.of("second:0", 1L << 16, "cpu:0", free)));

        try (HostedModel model = prepared.load()) {
            assertEquals("cpu:0", model.placement().devices());
            assertArrayEquals(expected, tokens(model.engine()));
            assertTrue(model.shards().getFirst().work().experts().misses() > 0);
        }
    }

    @Test
    void rulesPlaceTheExpertsOfABlockForMultiTokenPrediction() throws Exception {
        Path mixture = MtpModels.MIXTURE.write(folder);
        int[] prompt = MtpModels.MIXTURE.tokens(40, 3);
        ModelSettings exact = settings.with(settings.computation().with(BatchInvariance.ON));
        HostSettings plain = host(mixture, exact, DeviceSettings.best()).onDevices("cpu:0");
        int[] expected;
        try (HostedModel model = HostedModel.open(plain)) {
            expected = Answer.ask(model.engine(), prompt, 12).tokens();
        }
        PlacementRequest request =
                PlacementRequest.single(DeviceReference.PROCESSOR)
                        .with(new TensorRules(List.of(TensorRule.parseExperts("second:0"))));
        HostSettings spread =
                plain.with(plain.devices().with(request)).with(DraftSettings.of(DraftSettings.MTP));
        List<String> notes = new ArrayList<>();

        try (HostedModel model = HostedModel.open(spread, collecting(notes))) {
            Answer answer = Answer.ask(model.engine(), prompt, 12);
            assertArrayEquals(expected, answer.tokens());
            assertTrue(answer.end().speculation().verifySteps() > 0);
        }
        assertTrue(
                notes.stream().anyMatch(note -> note.contains(" with experts on second:0")),
                notes.toString());
    }

    @Test
    void missingDeviceNamesTheSetting() {
        for (String device : List.of("second:7", "nosuch:0")) {
            PreparedModel prepared = prepare("cpu:0", "_exps=" + device, settings);

            String message =
                    assertThrows(VarveException.class, () -> prepared.forecast(Age.ANY))
                            .getMessage();

            assertTrue(message.startsWith(Setting.OVERRIDE_TENSOR + ": " + device + ": "), message);
        }
    }
}
