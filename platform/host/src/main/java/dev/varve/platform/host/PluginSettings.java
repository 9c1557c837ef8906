package dev.varve.platform.host;

import dev.varve.api.backend.BackendOptions;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.plugin.PluginCatalog;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Source of plugins and native libraries.
 *
 * @param source the plugins
 * @param cacheFolder writable folder for unpacked libraries and measurements; no other user may
 *     have write access
 * @param ggmlHome folder with a ggml build to use instead of the packed one
 */
@SuppressWarnings("exports") // see package-info
public record PluginSettings(Source source, Path cacheFolder, Optional<Path> ggmlHome) {
    /** Plugins that are discovered now, or that are loaded already. */
    public sealed interface Source {
        /** Plugins of a folder, loaded on demand. */
        record Folder(Path folder) implements Source {}

        /** Plugins that the program has loaded. */
        record Loaded(PluginCatalog catalog) implements Source {}

        /** Returns the plugins. */
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

    /** Uses the plugins of a folder, with the libraries that they contain. */
    public static PluginSettings of(Path folder, Path cacheFolder) {
        return new PluginSettings(new Source.Folder(folder), cacheFolder, Optional.empty());
    }

    /**
     * Uses the plugins among the program's own jars, on the class path and the module path, with
     * the libraries that they contain.
     *
     * @throws IllegalArgumentException if two of them provide the same name
     */
    public static PluginSettings installed(Path cacheFolder) {
        return of(PluginCatalog.installed(), cacheFolder);
    }

    /** Uses plugins that the program has loaded, with the libraries that they contain. */
    public static PluginSettings of(PluginCatalog catalog, Path cacheFolder) {
        return new PluginSettings(new Source.Loaded(catalog), cacheFolder, Optional.empty());
    }

    /** Returns a copy with another ggml build. */
    public PluginSettings withGgmlHome(Path folder) {
        return new PluginSettings(source, cacheFolder, Optional.of(folder));
    }

    /**
     * Returns a copy with the plugins loaded, for programs that open several models.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public PluginSettings loaded() {
        return new PluginSettings(new Source.Loaded(catalog()), cacheFolder, ggmlHome);
    }

    /**
     * Returns the plugins; those of a folder are loaded at every call.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public PluginCatalog catalog() {
        return source.catalog();
    }

    /** Returns the options with which backends are loaded. */
    public BackendOptions backendOptions(PeerAccess peers) {
        return new BackendOptions(cacheFolder, ggmlHome, peers == PeerAccess.DIRECT);
    }
}
