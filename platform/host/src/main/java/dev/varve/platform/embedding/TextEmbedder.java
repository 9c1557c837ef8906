package dev.varve.platform.embedding;

import dev.varve.api.model.Pooling;

import java.util.List;
import java.util.function.BooleanSupplier;

/** Computes vectors or scores of texts. Thread-safe. */
public interface TextEmbedder {
    /** How the rows of tokens become results. */
    Pooling pooling();

    /** Elements of a vector. */
    int width();

    /** Most tokens of a text, those around it included. */
    int maxTokens();

    /** Makes the tokens of a query and a document. */
    PairTokens pairs();

    /**
     * Encodes texts; waits for those of earlier calls.
     *
     * @param texts token ids of each, 1 to {@link #maxTokens}
     * @param cancelled whether the results are no longer needed, asked from time to time
     * @return for each text its vector, not normalised, its score as an array of one, or without
     *     pooling the rows of its tokens
     * @throws dev.varve.api.VarveException of kind OVERLOADED if too many texts wait, UNAVAILABLE
     *     if the model is being closed, others if the device fails
     * @throws java.util.concurrent.CancellationException if it was cancelled
     */
    float[][] encode(List<int[]> texts, BooleanSupplier cancelled) throws InterruptedException;
}
