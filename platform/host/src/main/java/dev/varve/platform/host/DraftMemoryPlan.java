package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;

import java.util.Objects;
import java.util.Optional;

/**
 * Memory needs of speculative decoding for a model.
 *
 * @param source name of the speculator, or the file of a draft model
 * @param device device of a draft model
 * @param most most draft tokens of a sequence in a step
 * @param weightBytes weights of a draft model, including the model's embedding and head if it uses
 *     them
 * @param cacheBytes cache of a draft model
 */
@SuppressWarnings("exports") // see package-info
public record DraftMemoryPlan(
        String source,
        Optional<DeviceReference> device,
        int most,
        long weightBytes,
        long cacheBytes) {
    /** Checks that nothing is missing. */
    public DraftMemoryPlan {
        Objects.requireNonNull(source);
        Objects.requireNonNull(device);
    }

    /** Returns all bytes of a draft model. */
    long bytes() {
        return weightBytes + cacheBytes;
    }
}
