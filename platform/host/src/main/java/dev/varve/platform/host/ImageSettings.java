package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.vision.ImageLimits;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Image input of a model.
 *
 * @param projector file of the image encoder
 * @param device device that encodes; empty for that of the first layers, or the processor if those
 *     are in another process
 * @param minTokens smaller images are enlarged to about as many tokens; empty for the encoder's
 * @param maxTokens larger images are reduced to as many tokens; empty for the encoder's, and at
 *     most {@value #PROCESSOR_TOKENS} on a processor, and {@value #BATCH_TOKENS} if the tokens of
 *     an image attend to one another
 * @param limits limits of files
 */
@SuppressWarnings("exports") // see package-info
public record ImageSettings(
        Path projector,
        Optional<DeviceReference> device,
        OptionalInt minTokens,
        OptionalInt maxTokens,
        ImageLimits limits) {
    /** Most tokens of an image by default if a processor encodes it. */
    static final int PROCESSOR_TOKENS = 1024;

    /**
     * Most tokens of an image if its tokens attend to one another: a sliding layer keeps room for
     * its window and half a prefill window that begins anywhere.
     */
    static final int BATCH_TOKENS = ChunkHistory.WINDOW_TOKENS / 2;

    /** Checks that nothing is missing. */
    public ImageSettings {
        Objects.requireNonNull(projector);
        Objects.requireNonNull(device);
        Objects.requireNonNull(minTokens);
        Objects.requireNonNull(maxTokens);
        Objects.requireNonNull(limits);
    }

    /** Returns the defaults for a projector. */
    public static ImageSettings of(Path projector) {
        return new ImageSettings(
                projector,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                ImageLimits.defaults());
    }
}
