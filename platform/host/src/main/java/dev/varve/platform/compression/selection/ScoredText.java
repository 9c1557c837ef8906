package dev.varve.platform.compression.selection;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.scoring.TailQueries;

import java.util.Objects;

/**
 * Text in the drafter's tokens, with the score of each token and the protected spans. Immutable.
 */
public final class ScoredText {
    private final int[] ids;
    private final float[] scores;
    private final ProtectedSpans spans;

    /**
     * Creates a text of at least one token.
     *
     * @param ids token ids of the drafter
     * @param scores one per token; not used, and may be empty, if the text has fewer than {@link
     *     TailQueries#LEAST_TOKENS}
     * @param spans protected spans
     * @throws VarveException of kind BACKEND_FAILED if a score is not a number
     */
    public ScoredText(int[] ids, float[] scores, ProtectedSpans spans) {
        this.ids = ids.clone();
        this.scores = scores.clone();
        this.spans = Objects.requireNonNull(spans);
        if (ids.length == 0) {
            throw new IllegalArgumentException("expected a text with tokens, found none");
        }
        if (spans.end() > ids.length) {
            throw new IllegalArgumentException(
                    "protected range ends at "
                            + spans.end()
                            + ", after the end of the text "
                            + ids.length);
        }
        if (!isShort()) {
            requireScores();
        }
    }

    private void requireScores() {
        if (scores.length != ids.length) {
            throw new IllegalArgumentException(
                    "expected one score for each of "
                            + ids.length
                            + " tokens, found "
                            + scores.length);
        }
        for (int token = 0; token < scores.length; token++) {
            if (!Float.isFinite(scores[token])) {
                throw new VarveException(
                        VarveException.Kind.BACKEND_FAILED,
                        "drafter: expected finite scores, found "
                                + scores[token]
                                + " at token "
                                + token);
            }
        }
    }

    /** Returns the number of tokens. */
    public int tokens() {
        return ids.length;
    }

    /** Whether it is too short for dropping. */
    boolean isShort() {
        return ids.length < TailQueries.LEAST_TOKENS;
    }

    ProtectedSpans spans() {
        return spans;
    }

    /** Returns the ids, not a copy. */
    int[] ids() {
        return ids;
    }

    /** Returns the scores, not a copy. */
    float[] scores() {
        return scores;
    }
}
