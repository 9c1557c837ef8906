package dev.varve.api.event;

import java.util.Objects;
import java.util.Optional;

/**
 * Where events go, and whose they are.
 *
 * @param publish where subscribers connect to, such as {@code tcp://*:5557}
 * @param replay where subscribers ask for events that they missed; empty for nowhere
 * @param pod name of the server
 * @param model name of the model, as requests give it
 * @param blockTokens tokens of a block
 */
public record CacheListenerAddress(
        String publish, Optional<String> replay, String pod, String model, int blockTokens) {
    /** Checks that nothing is missing. */
    public CacheListenerAddress {
        Objects.requireNonNull(publish);
        Objects.requireNonNull(replay);
        Objects.requireNonNull(pod);
        Objects.requireNonNull(model);
        if (blockTokens < 1) {
            throw new IllegalArgumentException("blocks of " + blockTokens + " tokens");
        }
    }
}
