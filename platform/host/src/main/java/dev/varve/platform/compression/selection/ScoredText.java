package dev.varve.platform.compression.selection;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.scoring.TailQueries;

import java.util.Objects;

/** A text in the drafter's tokens, what each of them is worth, and what must stay. Immutable. */
public final class ScoredText {
    private final int[] ids;
    private final float[] scores;
    private final ProtectedSpans spans;

    /**
     * A text of one token at least.
     *
     * @param ids of the drafter
     * @param scores one per token; not looked at where the text has fewer than {@link
     *     TailQueries#LEAST_TOKENS}, and may be empty there
     * @param spans what must stay
     * @throws VarveException of kind BACKEND_FAILED if a score is no number
     */
    public ScoredText(int[] ids, float[] scores, ProtectedSpans spans) {
        this.ids = ids.clone();
        this.scores = scores.clone();
        this.spans = Objects.requireNonNull(spans);
        if (ids.length == 0) {
            throw new IllegalArgumentException("a text without tokens cannot be compressed");
        }
        if (spans.end() > ids.length) {
            throw new IllegalArgumentException(
                    "protected up to " + spans.end() + ", behind the text's " + ids.length);
        }
        if (!isShort()) {
            requireScores();
        }
    }

    /** A text in which nothing is protected. */
    public ScoredText(int[] ids, float[] scores) {
        this(ids, scores, ProtectedSpans.NONE);
    }

    private void requireScores() {
        if (scores.length != ids.length) {
            throw new IllegalArgumentException(
                    "expected a score for each of "
                            + ids.length
                            + " tokens, found "
                            + scores.length);
        }
        for (int token = 0; token < scores.length; token++) {
            if (!Float.isFinite(scores[token])) {
                throw new VarveException(
                        VarveException.Kind.BACKEND_FAILED,
                        "drafter: expected numbers as scores, found "
                                + scores[token]
                                + " at token "
                                + token);
            }
        }
    }

    /** Number of tokens. */
    public int tokens() {
        return ids.length;
    }

    /** Whether it is too short to leave anything out. */
    boolean isShort() {
        return ids.length < TailQueries.LEAST_TOKENS;
    }

    ProtectedSpans spans() {
        return spans;
    }

    /** Not a copy. */
    int[] ids() {
        return ids;
    }

    /** Not a copy. */
    float[] scores() {
        return scores;
    }
}
