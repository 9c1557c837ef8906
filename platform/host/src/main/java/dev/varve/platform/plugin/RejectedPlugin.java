package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Objects;

/**
 * An entry of the plugins folder that is not used.
 *
 * @param file the jar or folder
 * @param reason why, in one line
 */
public record RejectedPlugin(Path file, String reason) {
    /** Checks that nothing is missing. */
    public RejectedPlugin {
        Objects.requireNonNull(file);
        Objects.requireNonNull(reason);
    }
}
