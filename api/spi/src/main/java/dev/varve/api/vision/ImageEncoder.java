package dev.varve.api.vision;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorSelection;

import java.util.Set;

/**
 * A projector file, read by its provider. Immutable and thread-safe; owns no native memory.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public interface ImageEncoder {
    /** Values of {@code general.architecture} of the models that its rows may enter. */
    Set<String> architectures();

    /** Elements of a row, which the model's embedding length must equal. */
    int width();

    /** Sizes and colours of the images that it reads. */
    ImageInput input();

    /** Tokens around an image in the prompt. */
    ImageMarks marks();

    /** Positions that the tokens of an image have for rotary embeddings. */
    ImagePositions positions();

    /** Which tokens of an image its tokens attend to; causal by default. */
    default ImageAttention attention() {
        return ImageAttention.CAUSAL;
    }

    /** The weights. */
    TensorSelection tensors();

    /** Upper bound for the tensors and operators of a graph, whatever the size of the image. */
    int graphTensors();

    /**
     * Estimates the device memory for computing an image, in bytes, without the weights.
     *
     * @param tokens rows of the image
     */
    long computeBytes(int tokens);

    /**
     * Records the computation of one image. Must depend on nothing but its arguments.
     *
     * @return {@code F32 [width, tokens]}: rows of the image from the top, each from the left
     */
    Tensor build(ImageGraph graph, ImagePixels pixels);
}
