package dev.varve.embedded;

import java.util.Objects;

/**
 * A document with its score for a query.
 *
 * @param index index of the document in the call, from 0
 * @param text the document
 * @param score output of the model; higher is better. No unit, and comparable for one query of one
 *     model only
 * @param probability the score as a share from 0 to 1
 * @since 0.1.0
 */
public record ScoredDocument(int index, String text, double score, double probability) {
    /** Checks that nothing is missing. */
    public ScoredDocument {
        Objects.requireNonNull(text);
    }
}
