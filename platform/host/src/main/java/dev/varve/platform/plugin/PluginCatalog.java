package dev.varve.platform.plugin;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.event.CacheListenerProvider;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.snapshot.SharedStoreProvider;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.transport.TransportProvider;
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
 * The plugins of this process: which model families, device backends, transports and stores there
 * are, and which entries of the plugins folder were refused and why. Immutable.
 *
 * <p>Each entry is a jar, or a folder of jars where a plugin has dependencies of its own. Entries
 * are taken in the order of their names; a name that is provided twice stays with the first and the
 * second entry is refused as a whole.
 *
 * <p>The providers that the catalog gives out are guarded: whatever a plugin's code throws against
 * the contract of its service, or a null, becomes a {@link VarveException} that names the plugin's
 * file and module and what was called.
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
     * normal start. A folder that does not exist holds none.
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
     * @param parent layer that holds the API's module
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
     * A catalog of plugins that are loaded already.
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
                    VarveException.Kind.UNREADABLE_FILE, folder + ": cannot be listed: " + e, e);
        }
    }

    /** All names or none: a plugin is refused before any of them is taken. */
    private void add(LoadedPlugin plugin) throws PluginRejectedException {
        for (ProviderTable<?> table : tables.values()) {
            table.requireFree(plugin);
        }
        tables.values().forEach(table -> table.add(plugin));
        loaded.add(plugin);
    }

    @SuppressWarnings("unchecked") // the constructor puts the table of a kind under that kind
    private <T> ProviderTable<T> table(PluginServiceKind<T> spi) {
        return (ProviderTable<T>) tables.get(spi);
    }

    /** Plugins in use, in the order of their files. */
    public List<LoadedPlugin> loaded() {
        return Collections.unmodifiableList(loaded);
    }

    /** Entries that are not used, in the order of their files. */
    public List<RejectedPlugin> rejected() {
        return Collections.unmodifiableList(rejected);
    }

    /** Model families by the architecture that they serve. */
    public Map<String, ModelFamilyProvider> families() {
        return table(PluginServiceKind.FAMILIES).providers();
    }

    /**
     * The family that serves a model.
     *
     * @param architecture {@code general.architecture} of the file
     * @throws VarveException of kind UNSUPPORTED_MODEL if there is none, naming those that there
     *     are
     */
    public ModelFamilyProvider family(String architecture, Path modelFile) {
        return table(PluginServiceKind.FAMILIES)
                .require(architecture, modelFile.getFileName() + ": ", this::describe);
    }

    /** Device backends by name. */
    public Map<String, DeviceBackendProvider> backends() {
        return table(PluginServiceKind.BACKENDS).providers();
    }

    /**
     * The backend of a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public DeviceBackendProvider backend(String name) {
        return table(PluginServiceKind.BACKENDS).require(name, "", this::describe);
    }

    /** Transports by scheme; {@code unix} is always there. */
    public Map<String, TransportProvider> transports() {
        return table(PluginServiceKind.TRANSPORTS).providers();
    }

    /**
     * The transport of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public TransportProvider transport(String scheme) {
        return table(PluginServiceKind.TRANSPORTS).require(scheme, "", this::describe);
    }

    /** What guesses tokens, by name. */
    public Map<String, SpeculatorProvider> speculators() {
        return table(PluginServiceKind.SPECULATORS).providers();
    }

    /** Stores of computed prompts by name. */
    public Map<String, SnapshotStoreProvider> stores() {
        return table(PluginServiceKind.STORES).providers();
    }

    /**
     * The store of a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public SnapshotStoreProvider store(String name) {
        return table(PluginServiceKind.STORES).require(name, "", this::describe);
    }

    /**
     * What sends traces under a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public TraceExporterProvider traceExporter(String name) {
        return table(PluginServiceKind.TRACE_EXPORTERS).require(name, "", this::describe);
    }

    /**
     * The provider of shared stores of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public SharedStoreProvider sharedStore(String scheme) {
        return table(PluginServiceKind.SHARED_STORES).require(scheme, "", this::describe);
    }

    /**
     * What tells events of the cache to addresses of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public CacheListenerProvider cacheListener(String scheme) {
        return table(PluginServiceKind.CACHE_LISTENERS).require(scheme, "", this::describe);
    }

    /**
     * Which plugins are loaded and what they serve, and which are not; the end of an error message.
     */
    private String describe() {
        String used =
                loaded.isEmpty()
                        ? "no plugin is loaded"
                        : "loaded: "
                                + loaded.stream()
                                        .map(
                                                plugin ->
                                                        plugin.module()
                                                                + " ("
                                                                + plugin.describeServices()
                                                                + ")")
                                        .collect(Collectors.joining(", "));
        String unused =
                rejected.stream()
                        .map(plugin -> plugin.file().getFileName() + ": " + plugin.reason())
                        .collect(Collectors.joining(", "));
        return unused.isEmpty() ? used : used + "; refused: " + unused;
    }
}
