package dev.varve.platform.compression;

import dev.varve.platform.tokenizer.Tokenizer;

import java.util.function.BooleanSupplier;

/**
 * Small model that reads a text and scores each token by its relevance for the last tokens.
 * Thread-safe: concurrent callers wait.
 */
public interface PrefillDrafter extends AutoCloseable {
    /** Returns its tokenizer, which may differ from that of the target model. */
    Tokenizer tokenizer();

    /**
     * Returns an identity of its file and its way of scoring; another identity may give other
     * scores.
     */
    String identity();

    /**
     * Scores the tokens of a text.
     *
     * @param tokens more tokens than act as queries
     * @param cancelled whether the caller cancelled; polled at intervals
     * @return one score per token, higher for more relevant tokens
     * @throws java.util.concurrent.CancellationException if the caller cancelled
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY or UNAVAILABLE if it cannot read
     *     the text now, and of other kinds if it never can
     */
    float[] score(int[] tokens, BooleanSupplier cancelled);

    /** Frees its memory. */
    @Override
    void close();
}
