package dev.varve.platform.shard;

import dev.varve.api.model.Pooling;

import java.util.List;
import java.util.function.BooleanSupplier;

/** Encodes batches of texts on a device. Thread-safe; batches wait for one another. */
public interface TextBatchEncoder extends AutoCloseable {
    /** The pooling of all texts. */
    Pooling pooling();

    /** Elements of a vector. */
    int width();

    /**
     * Bytes of the weights, those in the mapped file included; 0 if they are those of shards, which
     * count them.
     */
    long weightBytes();

    /**
     * Encodes texts together; the device computes for others in between.
     *
     * @param texts token ids of each, at least one
     * @param cancelled whether the results are no longer needed, asked from time to time
     * @return for each text its vector, its score as an array of one, or with {@link Pooling#NONE}
     *     the rows of all its tokens
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if the batch needs more memory
     *     than is free, BACKEND_FAILED if the device fails or a result is no number, UNAVAILABLE if
     *     the encoder is closed
     * @throws java.util.concurrent.CancellationException if it was cancelled
     */
    float[][] encode(List<int[]> texts, BooleanSupplier cancelled);

    /** Ends the current batch at its next part, and frees the memory. */
    @Override
    void close();
}
