package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * Settings of the transitive anchor search.
 *
 * @param rareTokens a token with at most so many occurrences links their chunks; 0 disables this
 * @param enoughChunks number of direct anchor chunks at which no transitive search is needed; 0:
 *     always search
 * @param mostChunks largest number of anchor chunks of both kinds; empty: the budget for the whole
 *     text
 * @param rounds largest number of rounds, at least 0
 */
public record TransitiveSettings(
        int rareTokens, int enoughChunks, OptionalInt mostChunks, int rounds) {
    /** Defaults: tokens with at most 8 occurrences, at most 8 rounds, within the budget. */
    public static final TransitiveSettings USUAL =
            new TransitiveSettings(8, 0, OptionalInt.empty(), 8);

    /** Checks the ranges. */
    public TransitiveSettings {
        if (rareTokens < 0 || enoughChunks < 0 || mostChunks.orElse(0) < 0 || rounds < 0) {
            throw new IllegalArgumentException(
                    "transitive anchors: expected no number below 0, found "
                            + rareTokens
                            + ", "
                            + enoughChunks
                            + ", "
                            + mostChunks
                            + ", "
                            + rounds);
        }
    }
}
