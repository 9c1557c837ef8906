package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;

import java.util.Objects;
import java.util.Optional;

/**
 * What guessing tokens of a model would need.
 *
 * @param source name of the speculator, or the file of a draft model
 * @param device of a draft model
 * @param most guesses of a sequence in a step
 * @param weightBytes of a draft model, embedding and head of the model included where it uses them
 * @param cacheBytes of a draft model
 */
@SuppressWarnings("exports") // see package-info
public record DraftPlan(
        String source,
        Optional<DeviceReference> device,
        int most,
        long weightBytes,
        long cacheBytes) {
    /** Checks that nothing is missing. */
    public DraftPlan {
        Objects.requireNonNull(source);
        Objects.requireNonNull(device);
    }

    /** All bytes of a draft model. */
    long bytes() {
        return weightBytes + cacheBytes;
    }
}
