package dev.varve.platform.sampling;

import java.util.function.IntPredicate;

/**
 * The best tokens of a row after the changes of their logits, with the proof that no other token of
 * the row can be chosen. The logit of every other token was below all of these, and changes only
 * lower logits. Runs per token; buffers are reused.
 */
final class TopRow {
    private int[] ids = {};
    private float[] logits = {};
    private int count;

    /** Every other token of the row has a logit below this one. */
    private float bound;

    /**
     * Restarts with the best tokens of a row, except suppressed ones.
     *
     * @param tokens ascending
     * @param values their logits, finite
     */
    void load(int[] tokens, float[] values, LogitAdjustments adjustments) {
        if (ids.length < tokens.length) {
            ids = new int[tokens.length];
            logits = new float[tokens.length];
        }
        count = 0;
        bound = Float.POSITIVE_INFINITY;
        for (int i = 0; i < tokens.length; i++) {
            bound = Math.min(bound, values[i]);
            if (!adjustments.isSuppressed(tokens[i])) {
                ids[count] = tokens[i];
                logits[count++] = values[i];
            }
        }
        adjustments.lower(ids, logits, count);
    }

    /** Keeps the tokens for which a condition holds. */
    void retain(IntPredicate allowed) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (allowed.test(ids[i])) {
                ids[kept] = ids[i];
                logits[kept++] = logits[i];
            }
        }
        count = kept;
    }

    /**
     * Returns whether a choice among the allowed tokens of the whole row chooses one of these: as
     * many of them as the choice keeps are not below the bound, or the share of the best token that
     * {@code min-p} demands is above it.
     *
     * @param options such that {@link SamplingOptions#mayDrawAmongTop} and {@link
     *     SamplingOptions#onlyLowersLogits} are true
     */
    boolean decides(SamplingOptions options, IntPredicate allowed) {
        boolean counts = options.isGreedy() || options.cutoffs().topK() > 0;
        int needed = options.isGreedy() || !counts ? 1 : options.cutoffs().topK();
        double least = Math.log(options.cutoffs().minP());
        int found = 0;
        for (int i = 0; i < count && found < needed; i++) {
            boolean beyond =
                    logits[i] >= bound
                            && (counts
                                    || ((double) bound - logits[i]) / options.temperature()
                                            < least);
            found += beyond && allowed.test(ids[i]) ? 1 : 0;
        }
        return found == needed;
    }

    /** Returns the token with the highest logit, the lowest id on ties. */
    int best() {
        int best = 0;
        for (int i = 1; i < count; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return ids[best];
    }

    /** Makes these tokens the candidates, and returns their highest logit. */
    float copyTo(Candidates candidates) {
        return candidates.load(ids, logits, count);
    }
}
