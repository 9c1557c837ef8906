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

    private static final int MEDIUM_CHUNKS = 1024;
    private static final int LARGE_CHUNKS = 2048;

    /** Checks the ranges. */
    public AnchorSettings {
        if (queryTokens < 0 || ngram < 1 || radius.orElse(0) < 0 || mostHits.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "anchors: expected no negative number and runs of 1 or more tokens, found "
                            + queryTokens
                            + ", "
                            + ngram
                            + ", "
                            + radius
                            + ", "
                            + mostHits);
        }
    }

    /** Returns the number of chunks that are kept on each side; it grows with the text. */
    int radius(int chunks) {
        return radius.orElse(2 * growth(chunks));
    }

    /** Returns the largest number of occurrences of an n-gram; it grows with the text. */
    int mostHits(int chunks) {
        return mostHits.orElse(8 * growth(chunks));
    }

    private static int growth(int chunks) {
        if (chunks < MEDIUM_CHUNKS) {
            return 1;
        }
        return chunks < LARGE_CHUNKS ? 2 : 4;
    }

    /** Returns the first token of the query. */
    int queryBegin(int tokens) {
        return Math.max(0, tokens - queryTokens);
    }
}
