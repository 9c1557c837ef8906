package dev.varve.platform.shard;

import java.util.function.BooleanSupplier;

/**
 * A loaded model that reads a whole text and scores how strongly its last tokens attend to the
 * others. For one text at a time.
 */
public interface ImportanceScorer extends AutoCloseable {
    /**
     * Reads a text.
     *
     * @param tokens of the text, more than the number of tail queries
     * @param cancelled whether the result is not needed any more; polled from time to time
     * @return one score per token: how strongly the last tokens attend to it
     * @throws java.util.concurrent.CancellationException if {@code cancelled} returned true
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if the memory is too small for it,
     *     UNAVAILABLE if the model is not available now
     */
    float[] read(int[] tokens, BooleanSupplier cancelled);

    /** Bytes of the model's weights. */
    long weightBytes();

    /**
     * Additional bytes of this process's memory while it reads a text; 0 if another process reads.
     *
     * @param tokens of the text
     */
    long readingBytes(int tokens);

    /** Frees its memory. */
    @Override
    void close();
}
