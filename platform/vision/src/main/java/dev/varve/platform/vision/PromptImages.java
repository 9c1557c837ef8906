package dev.varve.platform.vision;

import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;

import java.util.function.BooleanSupplier;

/** Turns image files into rows that enter a model. Thread-safe. */
public interface PromptImages {
    /** Tokens around an image in the prompt. */
    ImageMarks marks();

    /** Positions of an image's tokens. */
    ImagePositions positions();

    /** Which tokens of an image its tokens attend to; causal by default. */
    default ImageAttention attention() {
        return ImageAttention.CAUSAL;
    }

    /**
     * Returns the tokens of an image, from its header alone.
     *
     * @param maxTokens most tokens, beside the limit of the model
     * @throws InvalidImageException if the file is no supported image or exceeds a limit
     */
    ImageGrid measure(byte[] file, int maxTokens);

    /**
     * Decodes and encodes an image; may take as long as the prefill of its tokens.
     *
     * @param maxTokens most tokens, beside the limit of the model
     * @param cancelled whether the image is no longer needed, asked from time to time
     * @throws InvalidImageException if the file is no supported image or exceeds a limit
     * @throws dev.varve.api.VarveException of other kinds if the device fails
     * @throws java.util.concurrent.CancellationException if it was cancelled
     */
    EncodedImage encode(byte[] file, int maxTokens, BooleanSupplier cancelled);

    /** Returns what was encoded so far. */
    default ImageCounts counts() {
        return ImageCounts.NONE;
    }

    /** Returns the tokens of an image with the limit of the model. */
    default ImageGrid measure(byte[] file) {
        return measure(file, Integer.MAX_VALUE);
    }

    /** Decodes and encodes an image with the limit of the model. */
    default EncodedImage encode(byte[] file, BooleanSupplier cancelled) {
        return encode(file, Integer.MAX_VALUE, cancelled);
    }

    /** Decodes and encodes an image that is always needed. */
    default EncodedImage encode(byte[] file) {
        return encode(file, () -> false);
    }
}
