package dev.varve.platform.plugin;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.wire.unix.UnixTransport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The plugins of this process: which model families, device backends and transports there are, and
 * which entries of the plugins folder were refused and why. Immutable.
 *
 * <p>Each entry is a jar, or a folder of jars where a plugin has dependencies of its own. Entries
 * are taken in the order of their names; a name that is provided twice stays with the first and the
 * second entry is refused as a whole.
 */
public final class PluginCatalog {
    private record Owned<T>(T provider, String module, Path file) {}

    private final List<LoadedPlugin> loaded = new ArrayList<>();
    private final List<RejectedPlugin> rejected = new ArrayList<>();
    private final SortedMap<String, Owned<ModelFamilyProvider>> families = new TreeMap<>();
    private final SortedMap<String, Owned<DeviceBackendProvider>> backends = new TreeMap<>();

    private final SortedMap<String, Owned<TransportProvider>> transports = new TreeMap<>();

    private PluginCatalog() {
        TransportProvider unix = new UnixTransport();
        transports.put(unix.scheme(), new Owned<>(unix, "dev.varve.platform", Path.of("built in")));
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
            } catch (PluginRejection e) {
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
            } catch (PluginRejection e) {
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

    private void add(LoadedPlugin plugin) throws PluginRejection {
        SortedMap<String, Owned<ModelFamilyProvider>> newFamilies = new TreeMap<>();
        for (ModelFamilyProvider family : plugin.families()) {
            for (String architecture : family.architectures()) {
                claim("architecture", architecture, family, plugin, newFamilies, families);
            }
        }
        SortedMap<String, Owned<DeviceBackendProvider>> newBackends = new TreeMap<>();
        for (DeviceBackendProvider backend : plugin.backends()) {
            claim("backend", backend.name(), backend, plugin, newBackends, backends);
        }
        SortedMap<String, Owned<TransportProvider>> newTransports = new TreeMap<>();
        for (TransportProvider transport : plugin.transports()) {
            claim("transport", transport.scheme(), transport, plugin, newTransports, transports);
        }
        transports.putAll(newTransports);
        families.putAll(newFamilies);
        backends.putAll(newBackends);
        loaded.add(plugin);
    }

    private static <T> void claim(
            String what,
            String name,
            T provider,
            LoadedPlugin plugin,
            SortedMap<String, Owned<T>> fresh,
            SortedMap<String, Owned<T>> taken)
            throws PluginRejection {
        Owned<T> mine = new Owned<>(provider, plugin.module(), plugin.file());
        Owned<T> owner = taken.containsKey(name) ? taken.get(name) : fresh.putIfAbsent(name, mine);
        if (owner != null) {
            throw new PluginRejection(
                    String.format(
                            Locale.ROOT,
                            "%s %s is provided twice: by module %s (%s) and by module %s (%s)",
                            what,
                            name,
                            owner.module(),
                            owner.file().getFileName(),
                            mine.module(),
                            mine.file().getFileName()));
        }
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
        return providers(families);
    }

    /** Device backends by name. */
    public Map<String, DeviceBackendProvider> backends() {
        return providers(backends);
    }

    /**
     * The family that serves a model.
     *
     * @param architecture {@code general.architecture} of the file
     * @throws VarveException of kind UNSUPPORTED_MODEL if there is none, naming those that there
     *     are
     */
    public ModelFamilyProvider family(String architecture, Path modelFile) {
        Owned<ModelFamilyProvider> owner = families.get(architecture);
        if (owner == null) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    String.format(
                            Locale.ROOT,
                            "%s: no plugin serves architecture %s; %s",
                            modelFile.getFileName(),
                            architecture,
                            describe()));
        }
        return owner.provider();
    }

    /**
     * The backend of a name.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public DeviceBackendProvider backend(String name) {
        Owned<DeviceBackendProvider> owner = backends.get(name);
        if (owner == null) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    String.format(
                            Locale.ROOT,
                            "no plugin provides device backend %s; %s",
                            name,
                            describe()));
        }
        return owner.provider();
    }

    /** Transports by scheme; {@code unix} is always there. */
    public Map<String, TransportProvider> transports() {
        return providers(transports);
    }

    /**
     * The transport of a scheme.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, naming those that there are
     */
    public TransportProvider transport(String scheme) {
        Owned<TransportProvider> owner = transports.get(scheme);
        if (owner == null) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    String.format(
                            Locale.ROOT,
                            "no transport for %s: addresses; known: %s; %s",
                            scheme,
                            String.join(", ", transports.keySet()),
                            describe()));
        }
        return owner.provider();
    }

    private static <T> Map<String, T> providers(SortedMap<String, Owned<T>> owned) {
        SortedMap<String, T> providers = new TreeMap<>();
        owned.forEach((name, owner) -> providers.put(name, owner.provider()));
        return Collections.unmodifiableSortedMap(providers);
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
