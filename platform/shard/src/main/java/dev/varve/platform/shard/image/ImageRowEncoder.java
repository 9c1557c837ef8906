package dev.varve.platform.shard.image;

import dev.varve.api.VarveException;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImagePixels;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Computes the rows of images on a device, of this process or of another one. Thread-safe; images
 * wait for one another.
 */
public interface ImageRowEncoder extends AutoCloseable {
    /** The encoder, as its file describes it. */
    ImageEncoder encoder();

    /** The device that computes. */
    String device();

    /**
     * Computes the rows of an image. The device computes for others in between.
     *
     * @param cancelled whether the rows are no longer needed, asked from time to time
     * @return {@code [width, tokens]}
     * @throws VarveException of kind OUT_OF_MEMORY if the image needs more memory than is free,
     *     BACKEND_FAILED if the device fails, UNAVAILABLE if the encoder is closed or its process
     *     is lost
     * @throws CancellationException if it was cancelled
     */
    float[] encode(ImagePixels pixels, BooleanSupplier cancelled);

    /** Ends the current image at its next part, and frees the memory. */
    @Override
    void close();
}
