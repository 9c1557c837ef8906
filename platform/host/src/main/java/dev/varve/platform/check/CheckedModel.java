package dev.varve.platform.check;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A model that the checks use.
 *
 * @param name for results, such as {@code qwen35}
 * @param draft draft model that was trained for it
 */
public record CheckedModel(String name, Path file, Optional<Path> draft) {
    /** Checks that nothing is missing. */
    public CheckedModel {
        Objects.requireNonNull(name);
        Objects.requireNonNull(file);
        Objects.requireNonNull(draft);
    }
}
