package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;

import java.nio.file.Path;
import java.util.Objects;

/**
 * What a model that reads prompts would need.
 *
 * @param file of the model
 * @param device on which it computes
 * @param weightBytes as they are in the file
 * @param tokens of a prompt
 * @param readingBytes that reading such a prompt takes beside them, at most
 */
@SuppressWarnings("exports") // see package-info
public record PrefillDrafterPlan(
        Path file, DeviceReference device, long weightBytes, int tokens, long readingBytes) {
    /** Checks that nothing is missing. */
    public PrefillDrafterPlan {
        Objects.requireNonNull(file);
        Objects.requireNonNull(device);
    }

    /** Bytes of the memory of this process. */
    long ownBytes() {
        return device.isLocal() ? weightBytes + readingBytes : 0;
    }
}
