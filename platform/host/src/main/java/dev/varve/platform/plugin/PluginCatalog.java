package dev.varve.platform.plugin;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.event.CacheListenerProvider;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.snapshot.SharedStoreProvider;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.transport.TransportProvider;
import dev.varve.api.vision.ImageEncoderProvider;
import dev.varve.platform.speculation.NgramProvider;
import dev.varve.platform.wire.unix.UnixTransport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Plugins of this process: the available model families, device backends, transports and stores,
 * and the rejected entries of the plugins folder with their reasons. Immutable.
 *
 * <p>Each entry is a jar, or a folder of jars if a plugin has its own dependencies. Entries are
 * loaded in the order of their names; if two entries provide the same name, the first one keeps it
 * and the second entry is rejected as a whole.
 *
 * <p>The providers of the catalog are guarded: an exception that violates the contract of a
 * service, or a null, becomes a {@link VarveException} that names the plugin's file and module and
 * the called method.
 */
public final class PluginCatalog {
    private static final PluginOrigin BUILT_IN =
            new PluginOrigin(Path.of("built in"), "dev.varve.platform", Optional.empty());

    private final List<LoadedPlugin> loaded = new ArrayList<>();
    private final List<RejectedPlugin> rejected = new ArrayList<>();
    private final Map<PluginServiceKind<?>, ProviderTable<?>> tables = new LinkedHashMap<>();

    private PluginCatalog() {
        PluginServiceKind.ALL.forEach(spi -> tables.put(spi, new ProviderTable<>(spi)));
        TransportProvider unix = new UnixTransport();
        table(PluginServiceKind.TRANSPORTS).addBuiltIn(unix.scheme(), unix, BUILT_IN);
        SpeculatorProvider ngram = new NgramProvider();
        table(PluginServiceKind.SPECULATORS).addBuiltIn(ngram.name(), ngram, BUILT_IN);
    }

    /**
     * Loads the plugins of a folder into layers below the one of this class, the boot layer in a
     * normal start. A missing folder has no plugins.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public static PluginCatalog discover(Path pluginsFolder) {
        return discover(
                pluginsFolder,
                Optional.ofNullable(PluginCatalog.class.getModule().getLayer())
                        .orElseGet(ModuleLayer::boot));
    }

    /**
     * Loads the plugins of a folder.
     *
     * @param parent layer that contains the API's module
     * @throws VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public static PluginCatalog discover(Path pluginsFolder, ModuleLayer parent) {
        PluginCatalog catalog = new PluginCatalog();
        PluginLoader loader = new PluginLoader(parent);
        for (Path entry : entries(pluginsFolder)) {
            try {
                catalog.add(loader.load(entry));
            } catch (PluginRejectedException e) {
                catalog.rejected.add(new RejectedPlugin(entry, e.getMessage()));
            }
        }
        return catalog;
    }

    /**
     * Loads the plugins among the program's own jars, on the class path and the module path.
     *
     * @throws IllegalArgumentException if two of them provide the same name
     * @throws java.util.ServiceConfigurationError if a provider cannot be created
     */
    public static PluginCatalog installed() {
        return of(ClassPathPlugins.load(PluginCatalog.class.getClassLoader()));
    }

    /**
     * Creates a catalog of plugins that are loaded already.
     *
     * @throws IllegalArgumentException if two of them provide the same name
     */
    public static PluginCatalog of(Collection<LoadedPlugin> plugins) {
        PluginCatalog catalog = new PluginCatalog();
        for (LoadedPlugin plugin : plugins) {
            try {
                catalog.add(plugin);
            } catch (PluginRejectedException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
        }
        return catalog;
    }

    private static List<Path> entries(Path folder) {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> !entry.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    folder + ": cannot list the folder: " + FileErrors.reason(e),
                    e);
        }
    }

    /** Adds all names of a plugin or none: it is rejected before any of them is added. */
    private void add(LoadedPlugin plugin) throws PluginRejectedException {
        for (ProviderTable<?> table : tables.values()) {
            table.requireFree(plugin);
        }
        tables.values().forEach(table -> table.add(plugin));
        loaded.add(plugin);
    }

    @SuppressWarnings("unchecked") // the constructor stores the table of a kind under that kind
    private <T> ProviderTable<T> table(PluginServiceKind<T> spi) {
        return (ProviderTable<T>) tables.get(spi);
    }

    /** Returns the plugins in use, in the order of their files. */
    public List<LoadedPlugin> loaded() {
        return Collections.unmodifiableList(loaded);
    }

    /** Returns the rejected entries, in the order of their files. */
    public List<RejectedPlugin> rejected() {
        return Collections.unmodifiableList(rejected);
    }

    /** Returns the model families by the architecture that they serve. */
    public Map<String, ModelFamilyProvider> families() {
        return table(PluginServiceKind.FAMILIES).providers();
    }

    /**
     * Returns the family that serves a model.
     *
     * @param architecture {@code general.architecture} of the file
     * @throws VarveException of kind UNSUPPORTED_MODEL if there is none, listing the known ones
     */
    public ModelFamilyProvider family(String architecture, Path modelFile) {
        return table(PluginServiceKind.FAMILIES)
                .require(architecture, modelFile.getFileName() + ": ", this::describeUnused);
    }

    /** Describes that no plugin serves an architecture, with the nearest and the known ones. */
    public String unknownArchitecture(String architecture) {
        return table(PluginServiceKind.FAMILIES).unknown(architecture) + describeUnused();
    }

    /** Returns the device backends by name. */
    public Map<String, DeviceBackendProvider> backends() {
        return table(PluginServiceKind.BACKENDS).providers();
    }

    /**
     * Returns the backend of a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, listing the known ones
     */
    public DeviceBackendProvider backend(String name) {
        return table(PluginServiceKind.BACKENDS).require(name, "", this::describeUnused);
    }

    /**
     * Returns the transport of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, listing the known ones
     */
    public TransportProvider transport(String scheme) {
        return table(PluginServiceKind.TRANSPORTS).require(scheme, "", this::describeUnused);
    }

    /** Returns the speculator providers by name. */
    public Map<String, SpeculatorProvider> speculators() {
        return table(PluginServiceKind.SPECULATORS).providers();
    }

    /** Returns the stores of cached prefixes by name. */
    public Map<String, SnapshotStoreProvider> stores() {
        return table(PluginServiceKind.STORES).providers();
    }

    /**
     * Returns the store of a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, listing the known ones
     */
    public SnapshotStoreProvider store(String name) {
        return table(PluginServiceKind.STORES).require(name, "", this::describeUnused);
    }

    /**
     * Returns the trace exporter of a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, listing the known ones
     */
    public TraceExporterProvider traceExporter(String name) {
        return table(PluginServiceKind.TRACE_EXPORTERS).require(name, "", this::describeUnused);
    }

    /**
     * Returns the provider of shared stores of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, listing the known ones
     */
    public SharedStoreProvider sharedStore(String scheme) {
        return table(PluginServiceKind.SHARED_STORES).require(scheme, "", this::describeUnused);
    }

    /**
     * Returns the provider that sends cache events to addresses of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, listing the known ones
     */
    public CacheListenerProvider cacheListener(String scheme) {
        return table(PluginServiceKind.CACHE_LISTENERS).require(scheme, "", this::describeUnused);
    }

    /**
     * Returns the provider of image encoders of a type.
     *
     * @param projectorType key of the projector file
     * @throws VarveException of kind UNSUPPORTED_MODEL if there is none, listing the known ones
     */
    public ImageEncoderProvider imageEncoder(String projectorType, Path projectorFile) {
        return table(PluginServiceKind.IMAGE_ENCODERS)
                .require(projectorType, projectorFile.getFileName() + ": ", this::describeUnused);
    }

    /** Lists the rejected plugins, if there are any; the end of an error message. */
    private String describeUnused() {
        String unused =
                rejected.stream()
                        .map(plugin -> plugin.file().getFileName() + ": " + plugin.reason())
                        .collect(Collectors.joining(", "));
        return (loaded.isEmpty() ? "; no plugin is loaded" : "")
                + (unused.isEmpty() ? "" : "; refused: " + unused);
    }
}
