package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Origin of a plugin.
 *
 * @param file the jar, or the folder of jars
 * @param module name of the module with the providers; several are joined by commas
 * @param version version of that module, if it has one
 */
public record PluginOrigin(Path file, String module, Optional<String> version) {
    /** Checks that nothing is missing. */
    public PluginOrigin {
        Objects.requireNonNull(file);
        Objects.requireNonNull(module);
        Objects.requireNonNull(version);
    }

    /** Returns the module with its file, as in messages: {@code module acme.net (acme.jar)}. */
    @Override
    public String toString() {
        return "module " + module + " (" + file.getFileName() + ")";
    }
}
