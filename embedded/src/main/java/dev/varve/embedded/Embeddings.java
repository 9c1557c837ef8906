package dev.varve.embedded;

import java.util.List;

/**
 * Vectors of texts.
 *
 * @param vectors for each text its vector, of Euclidean length 1; the caller owns the arrays
 * @param tokens tokens of all texts, with those around them
 * @since 0.1.0
 */
public record Embeddings(List<float[]> vectors, int tokens) {
    /** Copies the list. */
    public Embeddings {
        vectors = List.copyOf(vectors);
    }
}
