package dev.varve.platform.cli;

import dev.varve.api.backend.BackendOptions;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.plugin.PluginCatalog;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Options of plugins and native libraries. */
final class PluginOptions {
    @Option(
            names = "--plugins",
            paramLabel = "FOLDER",
            description = "Folder of plugins (default: plugins/ of the installation).",
            order = 800)
    private Optional<Path> folder = Optional.empty();

    @Option(
            names = "--ggml-home",
            paramLabel = "FOLDER",
            description =
                    "Folder with a ggml build that replaces the packed one (also:"
                            + " VARVE_GGML_HOME).",
            order = 801)
    private Optional<Path> ggmlHome = Optional.empty();

    Path folder(Environment environment) {
        return folder.orElseGet(environment::pluginsFolder);
    }

    /**
     * Returns the same options for another process of Varve.
     *
     * @param otherGgml ggml build of that process, if it differs
     */
    List<String> commandLine(Optional<Path> otherGgml) {
        List<String> options = new ArrayList<>();
        folder.ifPresent(
                given -> options.addAll(List.of("--plugins", given.toAbsolutePath().toString())));
        otherGgml
                .or(() -> ggmlHome)
                .ifPresent(
                        given ->
                                options.addAll(
                                        List.of("--ggml-home", given.toAbsolutePath().toString())));
        return options;
    }

    PluginCatalog discover(Environment environment) {
        return PluginCatalog.discover(checkedFolder(environment));
    }

    private Path checkedFolder(Environment environment) {
        folder.ifPresent(given -> TextFile.requireFolder("--plugins", given));
        return folder(environment);
    }

    /** Plugins and libraries of a model. */
    PluginSettings settings(Environment environment) {
        return new PluginSettings(
                new PluginSettings.Source.Folder(checkedFolder(environment)),
                environment.cacheFolder(),
                ggmlHome(environment));
    }

    BackendOptions backendOptions(Environment environment) {
        return new BackendOptions(environment.cacheFolder(), ggmlHome(environment), false);
    }

    private Optional<Path> ggmlHome(Environment environment) {
        return ggmlHome.or(() -> environment.variable("VARVE_GGML_HOME").map(Path::of));
    }
}
