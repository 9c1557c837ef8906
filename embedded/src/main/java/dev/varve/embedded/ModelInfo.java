package dev.varve.embedded;

import java.time.Duration;
import java.util.Objects;

/**
 * Facts of a loaded model.
 *
 * @param name file name without {@code .gguf}
 * @param architecture {@code general.architecture} of the file, such as {@code qwen3}
 * @param contextTokens most tokens of one chat, prompt and response together, or of one text that
 *     is encoded
 * @param devices devices that compute it, such as {@code [cpu:0]}
 * @param hasTools whether it can call tools; those for embeddings and scores cannot
 * @param loading duration of loading
 * @since 0.1.0
 */
public record ModelInfo(
        String name,
        String architecture,
        int contextTokens,
        String devices,
        boolean hasTools,
        Duration loading) {
    /** Checks that nothing is missing. */
    public ModelInfo {
        Objects.requireNonNull(name);
        Objects.requireNonNull(architecture);
        Objects.requireNonNull(devices);
        Objects.requireNonNull(loading);
    }
}
