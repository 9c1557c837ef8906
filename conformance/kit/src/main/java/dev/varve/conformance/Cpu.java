package dev.varve.conformance;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.vision.ImageEncoderProvider;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginOrigin;
import dev.varve.platform.plugin.PluginServiceKind;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.testkit.TestThreads;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import java.util.stream.IntStream;

/** The CPU device of the test process and models on it. */
final class Cpu {
    static final CacheTypes F16 = CacheTypes.f16();
    static final CacheTypes Q8_0 = new CacheTypes(GgmlType.Q8_0, GgmlType.Q8_0);

    /** The families on the class path. */
    private static final List<ModelFamilyProvider> FAMILIES =
            ServiceLoader.load(ModelFamilyProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private static final List<ImageEncoderProvider> IMAGE_ENCODERS =
            ServiceLoader.load(ImageEncoderProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private static final Path NATIVES = Path.of(System.getProperty("varve.test.natives"));

    private static final LocalBackends BACKENDS =
            new LocalBackends(
                    Map.of("cpu", new CpuBackendProvider()),
                    new BackendOptions(NATIVES, Optional.of(NATIVES), false));

    private static final DeviceOptions OPTIONS =
            new DeviceOptions(OptionalInt.of(TestThreads.COUNT), OptionalInt.empty(), false);

    private static final ComputeDevice DEVICE =
            BACKENDS.openDevice(DeviceReference.local("cpu", 0), OPTIONS);

    /** For tests in which several processes compute: threads that wait for each other stall. */
    private static final ComputeDevice ONE_THREAD =
            BACKENDS.openDevice(
                    DeviceReference.local("cpu", 0),
                    new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true));

    private Cpu() {}

    /** Whether weights go to matrix registers here. */
    static boolean hasTiles() {
        return DEVICE.weightBufferTypes().stream().anyMatch(type -> type.name().equals("AMX"));
    }

    /**
     * Skips a test that compares with libllama where libllama is wrong: with matrix registers it
     * adds products of 32 and more tokens with quantised rows of a single tile to the previous
     * contents of memory.
     */
    static void assumeLibllamaIsRight(Path file) {
        assumeFalse(
                hasTiles()
                        && GgufFile.open(file).tensors().stream()
                                .anyMatch(
                                        tensor ->
                                                tensor.type().isQuantized() && tensor.ne(0) == 32),
                "libllama is wrong about quantised rows of 32 elements on this processor");
    }

    /** The same settings with another attention. */
    static ModelSettings with(ModelSettings settings, FlashAttention attention) {
        return settings.with(settings.computation().with(attention));
    }

    /**
     * Returns the plugins of these tests, as a host accepts them.
     *
     * @param file the file to name as their origin
     * @param cacheFolder folder of measurements
     * @param others backends beside that of the processor
     */
    static PluginSettings plugins(Path file, Path cacheFolder, DeviceBackendProvider... others) {
        List<DeviceBackendProvider> backends = new ArrayList<>(List.of(others));
        backends.add(new CpuBackendProvider());
        PluginCatalog catalog =
                PluginCatalog.of(
                        List.of(
                                LoadedPlugin.of(
                                        new PluginOrigin(
                                                file, "dev.varve.conformance", Optional.empty()),
                                        Map.of(
                                                PluginServiceKind.FAMILIES,
                                                FAMILIES,
                                                PluginServiceKind.IMAGE_ENCODERS,
                                                IMAGE_ENCODERS,
                                                PluginServiceKind.BACKENDS,
                                                backends))));
        return PluginSettings.of(catalog, cacheFolder).withGgmlHome(NATIVES);
    }

    /** A model file as its family reads it. */
    static OpenedModel open(Path file, ModelOptions options) {
        GgufFile gguf = GgufFile.open(file);
        return new OpenedModel(gguf, family(gguf).open(gguf, options));
    }

    /** A model with adapters and their scales. */
    static OpenedModel open(Path file, Map<Path, Float> adapters) {
        OpenedModel model = open(file, ModelOptions.defaults());
        List<LoraAdapter> opened =
                adapters.entrySet().stream()
                        .map(
                                adapter ->
                                        LoraAdapter.of(
                                                GgufFile.open(adapter.getKey()),
                                                adapter.getValue()))
                        .toList();
        return new OpenedModel(
                model.file(), AdaptedModel.of(model.file(), model.adapter(), opened));
    }

    static ComputeDevice oneThread() {
        return ONE_THREAD;
    }

    /** The device as one that has ggml's operators alone. */
    static ComputeDevice withoutOwnRecurrence() {
        return (ComputeDevice)
                Proxy.newProxyInstance(
                        Cpu.class.getClassLoader(),
                        new Class<?>[] {ComputeDevice.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("recurrentOperators")
                                        ? RecurrentOperators.NONE
                                        : method.invoke(DEVICE, arguments));
    }

    static ComputeDevice device() {
        return DEVICE;
    }

    static LocalBackends backends() {
        return BACKENDS;
    }

    static DeviceOptions options() {
        return OPTIONS;
    }

    static ModelSettings settings(int context, int parallel, CacheTypes types) {
        return settings(SequenceLimits.of(context, parallel), types);
    }

    static ModelSettings settings(SequenceLimits sequences, CacheTypes types) {
        return ModelSettings.of(sequences).with(ComputeSettings.defaults().with(types));
    }

    /** The families of all plugins. */
    static List<ModelFamilyProvider> families() {
        return FAMILIES;
    }

    static ModelFamilyProvider family(GgufFile file) {
        return FAMILIES.stream()
                .filter(family -> family.architectures().contains(file.architecture()))
                .findFirst()
                .orElseThrow();
    }

    static LoadedModel load(Path file, ModelSettings settings) {
        return LoadedModel.load(open(file, settings.modelOptions()), DEVICE, settings);
    }

    /** The layers at which a second range may begin: those that alignment leaves alone. */
    static int[] legalCuts(Path file) {
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = family(gguf).open(gguf, ModelOptions.defaults());
        int layers = adapter.shape().layerCount();
        return IntStream.range(1, layers)
                .filter(
                        cut -> {
                            List<LayerRange> ranges =
                                    List.of(new LayerRange(0, cut), new LayerRange(cut, layers));
                            return adapter.align(ranges).equals(ranges);
                        })
                .toArray();
    }

    static LoadedModel load(Path file, ModelSettings settings, int... cuts) {
        return load(file, settings, LoadedModel.EngineComponents.NONE, cuts);
    }

    static LoadedModel load(
            Path file, ModelSettings settings, LoadedModel.EngineComponents extras, int... cuts) {
        return load(open(file, settings.modelOptions()), settings, extras, cuts);
    }

    static LoadedModel load(
            OpenedModel model,
            ModelSettings settings,
            LoadedModel.EngineComponents extras,
            int... cuts) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            ranges.add(new LayerRange(begin, cut));
            begin = cut;
        }
        ranges.add(new LayerRange(begin, model.shape().layerCount()));
        return LoadedModel.load(model, DEVICE, settings, ranges, extras);
    }

    /** Logits of every token, computed in chunks of a given length by a shard of its own. */
    static float[][] logitsInChunks(Path file, int[] tokens, CacheTypes types, int chunk) {
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = family(gguf).open(gguf, ModelOptions.defaults());
        ModelShape shape = adapter.shape();
        int span = KvSlotSpan.roundUp(tokens.length);
        int region =
                CacheUnitBytes.of(shape, shape.allLayers(), types, 512, tokens.length)
                        .regionSlots();
        List<float[]> rows = new ArrayList<>();
        try (LocalShard shard =
                LocalShard.load(
                        new ModelRange(gguf, adapter, shape.allLayers()),
                        DEVICE,
                        ShardOptions.of(types, new CacheCapacities(span, 2, region)),
                        LoadProgressListener.silent())) {
            for (int begin = 0; begin < tokens.length; begin += chunk) {
                SequenceChunk next =
                        new SequenceChunk(
                                0,
                                Arrays.copyOfRange(
                                        tokens, begin, Math.min(tokens.length, begin + chunk)),
                                ChunkPlacement.next(begin, new KvSlotSpan(0, span), 1),
                                RequestedOutput.ALL);
                ShardResult result =
                        shard.forward(
                                        new Batch(List.of(next), ComputeDevice.Phase.PREFILL),
                                        Optional.empty())
                                .join();
                int vocabulary = shape.vocabularySize();
                for (int row = 0; row < result.rows(); row++) {
                    rows.add(
                            Arrays.copyOfRange(
                                    result.logits(), row * vocabulary, (row + 1) * vocabulary));
                }
            }
        }
        return rows.toArray(float[][]::new);
    }

    /** Logits of every token. */
    static float[][] logits(LoadedModel model, int[] tokens) {
        List<float[]> rows = new ArrayList<>();
        model.logits(
                tokens,
                (logits, count, vocabulary) -> {
                    for (int row = 0; row < count; row++) {
                        rows.add(
                                Arrays.copyOfRange(
                                        logits, row * vocabulary, (row + 1) * vocabulary));
                    }
                });
        return rows.toArray(float[][]::new);
    }
}
