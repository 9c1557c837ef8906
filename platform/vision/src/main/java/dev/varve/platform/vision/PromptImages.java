package dev.varve.platform.vision;

import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;

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
     * @throws InvalidImageException if the file is no supported image or exceeds a limit
     * @throws dev.varve.api.VarveException of other kinds if the device fails
     */
    EncodedImage encode(byte[] file);
}
