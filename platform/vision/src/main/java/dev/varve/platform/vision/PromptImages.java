package dev.varve.platform.vision;

import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;

import java.util.function.BooleanSupplier;

/** Turns image files into rows that enter a model. Thread-safe. */
public interface PromptImages {
    /** Tokens around an image in the prompt. */
    ImageMarks marks();

    /** Positions of an image's tokens. */
    ImagePositions positions();

    /**
     * Returns the tokens of an image, from its header alone.
     *
     * @throws InvalidImageException if the file is no supported image or exceeds a limit
     */
    ImageGrid measure(byte[] file);

    /**
     * Decodes and encodes an image; may take as long as the prefill of its tokens.
     *
     * @param cancelled whether the image is no longer needed, asked from time to time
     * @throws InvalidImageException if the file is no supported image or exceeds a limit
     * @throws dev.varve.api.VarveException of other kinds if the device fails
     * @throws java.util.concurrent.CancellationException if it was cancelled
     */
    EncodedImage encode(byte[] file, BooleanSupplier cancelled);

    /** Decodes and encodes an image that is always needed. */
    default EncodedImage encode(byte[] file) {
        return encode(file, () -> false);
    }
}
