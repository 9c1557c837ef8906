package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.snapshot.SharedStoreProvider;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginOrigin;
import dev.varve.platform.plugin.PluginServiceKind;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.plugin.cpu.CpuBackendProvider;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The plugins on the class path, and ggml as the oracle uses it. */
final class BenchPlugins {
    /** The families on the class path. */
    private static final List<ModelFamilyProvider> FAMILIES =
            ServiceLoader.load(ModelFamilyProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private static final DeviceBackendProvider PROCESSOR = new CpuBackendProvider();

    private static final LocalBackends BACKENDS =
            new LocalBackends(
                    backends(PROCESSOR).stream()
                            .collect(
                                    Collectors.toMap(
                                            DeviceBackendProvider::name, Function.identity())),
                    new BackendOptions(natives(), Optional.of(natives()), false));

    private BenchPlugins() {}

    /** Returns the settings of all plugins for a host; measurements lie beside a model. */
    static PluginSettings settings(Path model, SnapshotStoreProvider... stores) {
        return settings(model, PROCESSOR, List.of(stores), List.of(), List.of());
    }

    /** Returns the settings with a store that several servers share. */
    static PluginSettings sharing(Path model, SharedStoreProvider store) {
        return settings(model, PROCESSOR, List.of(), List.of(store), List.of());
    }

    /** Returns the settings with a speculator on that processor. */
    static PluginSettings settings(
            Path model, DeviceBackendProvider processor, SpeculatorProvider speculator) {
        return settings(model, processor, List.of(), List.of(), List.of(speculator));
    }

    private static PluginSettings settings(
            Path model,
            DeviceBackendProvider processor,
            List<SnapshotStoreProvider> stores,
            List<SharedStoreProvider> shared,
            List<SpeculatorProvider> speculators) {
        PluginCatalog catalog =
                PluginCatalog.of(
                        List.of(
                                LoadedPlugin.of(
                                        new PluginOrigin(
                                                Path.of("bench"),
                                                "dev.varve.bench",
                                                Optional.empty()),
                                        Map.of(
                                                PluginServiceKind.FAMILIES,
                                                FAMILIES,
                                                PluginServiceKind.BACKENDS,
                                                backends(processor),
                                                PluginServiceKind.STORES,
                                                stores,
                                                PluginServiceKind.SHARED_STORES,
                                                shared,
                                                PluginServiceKind.SPECULATORS,
                                                speculators))));
        Path cache = model.toAbsolutePath().getParent();
        return PluginSettings.of(catalog, cache).withGgmlHome(natives());
    }

    /** A processor, and the devices of other plugins that are on the class path. */
    private static List<DeviceBackendProvider> backends(DeviceBackendProvider processor) {
        List<DeviceBackendProvider> all = new ArrayList<>();
        all.add(processor);
        for (DeviceBackendProvider each : ServiceLoader.load(DeviceBackendProvider.class)) {
            if (!each.name().equals(processor.name())) {
                all.add(each);
            }
        }
        return List.copyOf(all);
    }

    /** Opens a device of this process, such as {@code cuda:0}; the caller closes it. */
    static ComputeDevice device(String name, int threads) {
        return BACKENDS.openDevice(
                DeviceReference.parse(name),
                new DeviceOptions(OptionalInt.of(threads), OptionalInt.empty(), false));
    }

    /** Returns the device as libllama names it, such as {@code CUDA0}; empty for the processor. */
    static Optional<String> ggmlName(String name) {
        if (DeviceReference.parse(name).equals(DeviceReference.PROCESSOR)) {
            return Optional.empty();
        }
        try (ComputeDevice device = device(name, 1)) {
            return Optional.of(device.ggmlDevice().name());
        }
    }

    /** A model file as its family reads it. */
    static OpenedModel open(Path model) {
        GgufFile file = GgufFile.open(model);
        return new OpenedModel(file, family(file).open(file, ModelOptions.defaults()));
    }

    /** Returns the block for multi-token prediction of a model file. */
    static MtpFile block(Path model) {
        OpenedModel opened = open(model);
        GgufFile file = opened.file();
        return MtpFile.of(file, family(file), opened, ModelOptions.defaults());
    }

    private static ModelFamilyProvider family(GgufFile file) {
        return FAMILIES.stream()
                .filter(each -> each.architectures().contains(file.architecture()))
                .findFirst()
                .orElseThrow();
    }

    /** The tokenizer of a model file. */
    static Tokenizer tokenizer(GgufFile file) {
        return Tokenizer.of(file.metadata(), family(file).preTokenizers());
    }

    /** The libraries of the oracle. */
    static Path natives() {
        return Path.of(System.getProperty("varve.test.natives"));
    }
}
