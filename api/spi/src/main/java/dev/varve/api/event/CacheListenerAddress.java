package dev.varve.api.event;

import java.util.Objects;
import java.util.Optional;

/**
 * Addresses at which events are published, and the server and model that they describe.
 *
 * @param publish address to which subscribers connect, such as {@code tcp://*:5557}
 * @param replay address at which subscribers request missed events; empty for none
 * @param pod name of the server
 * @param model name of the model, as requests give it
 * @param blockTokens tokens of a block
 */
public record CacheListenerAddress(
        String publish, Optional<String> replay, String pod, String model, int blockTokens) {
    /** Refuses null. */
    public CacheListenerAddress {
        Objects.requireNonNull(publish);
        Objects.requireNonNull(replay);
        Objects.requireNonNull(pod);
        Objects.requireNonNull(model);
        if (blockTokens < 1) {
            throw new IllegalArgumentException(
                    "tokens of a block must be positive, got " + blockTokens);
        }
    }
}
