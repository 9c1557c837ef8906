package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * How places are found of which anchors speak in turn.
 *
 * @param rareTokens a token that stands at up to so many places leads from each to the others; 0
 *     for none
 * @param enoughChunks so many chunks from anchors are enough, and nothing more is looked for; 0 to
 *     look in any case
 * @param mostChunks chunks that anchors of both kinds may make up; empty for as many as shall stay
 *     of the whole text
 * @param rounds how often to look, at least 0
 */
public record TransitiveSettings(
        int rareTokens, int enoughChunks, OptionalInt mostChunks, int rounds) {
    /** By tokens that stand at up to 8 places, at most 8 times, within what shall stay. */
    public static final TransitiveSettings USUAL =
            new TransitiveSettings(8, 0, OptionalInt.empty(), 8);

    /** Checks the numbers. */
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
