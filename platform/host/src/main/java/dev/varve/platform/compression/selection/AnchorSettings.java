package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * Settings of the search for places that match the end of the text.
 *
 * @param queryTokens tokens at the end that form the query, at least 0
 * @param ngram consecutive tokens that must match, positive
 * @param radius chunks that are kept on each side, at least 0; empty: the text length decides
 * @param mostHits largest number of occurrences of an n-gram, at least 0, which finds none; empty:
 *     the text length decides
 */
public record AnchorSettings(int queryTokens, int ngram, OptionalInt radius, OptionalInt mostHits) {
    /** Defaults: the last 96 tokens are the query, with n-grams of 4. */
    public static final AnchorSettings USUAL =
            new AnchorSettings(96, 4, OptionalInt.empty(), OptionalInt.empty());

    /** Checks the ranges. */
    public AnchorSettings {
        if (queryTokens < 0 || ngram < 1 || radius.orElse(0) < 0 || mostHits.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "anchors: expected no number below 0 and runs of 1 token or more, found "
                            + queryTokens
                            + ", "
                            + ngram
                            + ", "
                            + radius
                            + ", "
                            + mostHits);
        }
    }

    /** Returns a copy with a reach that does not depend on the text length. */
    public AnchorSettings reaching(OptionalInt otherRadius, OptionalInt otherMostHits) {
        return new AnchorSettings(queryTokens, ngram, otherRadius, otherMostHits);
    }

    AnchorReach reach(int chunks) {
        AnchorReach usual = AnchorReach.of(chunks);
        return new AnchorReach(radius.orElse(usual.radius()), mostHits.orElse(usual.mostHits()));
    }

    /** Returns the first token of the query. */
    int queryBegin(int tokens) {
        return Math.max(0, tokens - queryTokens);
    }
}
