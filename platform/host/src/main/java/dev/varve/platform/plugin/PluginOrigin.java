package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a plugin came from.
 *
 * @param file the jar, or the folder of jars
 * @param module name of the module with the providers; several are joined by commas
 * @param version version of that module, where it carries one
 */
public record PluginOrigin(Path file, String module, Optional<String> version) {
    /** Checks that nothing is missing. */
    public PluginOrigin {
        Objects.requireNonNull(file);
        Objects.requireNonNull(module);
        Objects.requireNonNull(version);
    }

    /** The module with its file, as messages name it: {@code module acme.net (acme.jar)}. */
    @Override
    public String toString() {
        return "module " + module + " (" + file.getFileName() + ")";
    }
}
