package dev.varve.platform.host;

import dev.varve.api.backend.BackendOptions;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.plugin.PluginCatalog;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Where plugins and native libraries come from.
 *
 * @param source the plugins
 * @param cacheFolder writable folder for unpacked libraries and measurements; nobody else may be
 *     able to write there
 * @param ggmlHome folder with a ggml build to use instead of the packed one
 */
@SuppressWarnings("exports") // see package-info
public record PluginSettings(Source source, Path cacheFolder, Optional<Path> ggmlHome) {
    /** Plugins that are found or were found before. */
    public sealed interface Source {
        /** Those of a folder, loaded when they are needed. */
        record Folder(Path folder) implements Source {}

        /** Those that the program has loaded. */
        record Loaded(PluginCatalog catalog) implements Source {}

        /** The plugins. */
        private PluginCatalog catalog() {
            return switch (this) {
                case Folder(Path folder) -> PluginCatalog.discover(folder);
                case Loaded(PluginCatalog catalog) -> catalog;
            };
        }
    }

    /** Checks that nothing is missing. */
    public PluginSettings {
        Objects.requireNonNull(source);
        Objects.requireNonNull(cacheFolder);
        Objects.requireNonNull(ggmlHome);
    }

    /** The plugins of a folder, with the libraries that they carry. */
    public static PluginSettings of(Path folder, Path cacheFolder) {
        return new PluginSettings(new Source.Folder(folder), cacheFolder, Optional.empty());
    }

    /** Plugins that the program has loaded, with the libraries that they carry. */
    public static PluginSettings of(PluginCatalog catalog, Path cacheFolder) {
        return new PluginSettings(new Source.Loaded(catalog), cacheFolder, Optional.empty());
    }

    /** The same plugins with another ggml build. */
    public PluginSettings withGgmlHome(Path folder) {
        return new PluginSettings(source, cacheFolder, Optional.of(folder));
    }

    /**
     * The same with the plugins loaded, for programs that open several models.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public PluginSettings loaded() {
        return new PluginSettings(new Source.Loaded(catalog()), cacheFolder, ggmlHome);
    }

    /**
     * The plugins; those of a folder are loaded at every call.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public PluginCatalog catalog() {
        return source.catalog();
    }

    /** What backends need to know when they are loaded. */
    public BackendOptions backendOptions(PeerAccess peers) {
        return new BackendOptions(cacheFolder, ggmlHome, peers == PeerAccess.DIRECT);
    }
}
