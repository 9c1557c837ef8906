package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;

import java.nio.file.Path;

/**
 * Memory needs of an image encoder.
 *
 * @param file projector file
 * @param device on which it computes
 * @param weightBytes size of the weights in the file
 * @param tokens of the largest image
 * @param computeBytes estimated additional bytes for such an image
 */
@SuppressWarnings("exports") // see package-info
public record ImageMemoryPlan(
        Path file, DeviceReference device, long weightBytes, int tokens, long computeBytes) {
    /** All bytes. */
    public long bytes() {
        return weightBytes + computeBytes;
    }
}
