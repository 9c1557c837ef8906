package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * How the places are found that speak of what a text's end asks for.
 *
 * @param queryTokens tokens of the end that asks, at least 0
 * @param ngram consecutive tokens that must be the same, positive
 * @param radius chunks that stay on each side, at least 0; empty where the length of the text
 *     decides
 * @param mostHits places at which the same run may stand, at least 0, which finds none; empty where
 *     the length of the text decides
 */
public record AnchorSettings(int queryTokens, int ngram, OptionalInt radius, OptionalInt mostHits) {
    /** The last 96 tokens ask, in runs of 4. */
    public static final AnchorSettings USUAL =
            new AnchorSettings(96, 4, OptionalInt.empty(), OptionalInt.empty());

    /** Checks the numbers. */
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

    /** The same with a reach that does not depend on the length of the text. */
    public AnchorSettings reaching(OptionalInt otherRadius, OptionalInt otherMostHits) {
        return new AnchorSettings(queryTokens, ngram, otherRadius, otherMostHits);
    }

    AnchorReach reach(int chunks) {
        AnchorReach usual = AnchorReach.of(chunks);
        return new AnchorReach(radius.orElse(usual.radius()), mostHits.orElse(usual.mostHits()));
    }

    /** First token of the end that asks. */
    int queryBegin(int tokens) {
        return Math.max(0, tokens - queryTokens);
    }
}
