package dev.varve.platform.shard;

import java.util.function.BooleanSupplier;

/**
 * A loaded model that reads whole texts, to say how much the last tokens of each look at the
 * others. For one text at a time.
 */
public interface TextScorer extends AutoCloseable {
    /**
     * Reads a text.
     *
     * @param tokens of the text, more than look
     * @param cancelled whether nobody waits for the result any more; asked now and then
     * @return by token how much the last ones look at it
     * @throws java.util.concurrent.CancellationException if nobody waits any more
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if there is no room for it,
     *     UNAVAILABLE if the model is not there now
     */
    float[] read(int[] tokens, BooleanSupplier cancelled);

    /** Bytes of the model's weights. */
    long weightBytes();

    /**
     * Bytes of this process's memory that reading a text takes beside what stays there; 0 where
     * another process reads.
     *
     * @param tokens of the text
     */
    long readingBytes(int tokens);

    /** Gives its memory back. */
    @Override
    void close();
}
