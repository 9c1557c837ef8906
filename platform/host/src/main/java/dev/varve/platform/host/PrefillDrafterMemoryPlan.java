package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Memory needs of a prefill drafter.
 *
 * @param file of the model
 * @param device on which it computes
 * @param weightBytes size of the weights in the file
 * @param tokens length of a prompt
 * @param readingBytes most additional bytes for reading such a prompt
 */
@SuppressWarnings("exports") // see package-info
public record PrefillDrafterMemoryPlan(
        Path file, DeviceReference device, long weightBytes, int tokens, long readingBytes) {
    /** Checks that nothing is missing. */
    public PrefillDrafterMemoryPlan {
        Objects.requireNonNull(file);
        Objects.requireNonNull(device);
    }

    /** Returns the bytes in the memory of this process. */
    long ownBytes() {
        return device.isLocal() ? weightBytes + readingBytes : 0;
    }
}
