package dev.varve.platform.compression;

import dev.varve.platform.tokenizer.Tokenizer;

import java.util.function.BooleanSupplier;

/**
 * A small model that reads a text and says what of it matters for what its last tokens ask.
 * Thread-safe: whoever comes while it reads waits.
 */
public interface PrefillDrafter extends AutoCloseable {
    /** Its tokens, which need not be those of the model that gets the text. */
    Tokenizer tokenizer();

    /** Stands for its file and for how it scores: what has another one may score otherwise. */
    String identity();

    /**
     * Scores the tokens of a text.
     *
     * @param tokens more than look at the others
     * @param cancelled whether nobody waits for the scores any more; asked now and then
     * @return one per token, higher for what matters more
     * @throws java.util.concurrent.CancellationException if nobody waits any more
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY or UNAVAILABLE if it cannot read
     *     the text now, and of others if it never can
     */
    float[] score(int[] tokens, BooleanSupplier cancelled);

    /** Gives its memory back. */
    @Override
    void close();
}
