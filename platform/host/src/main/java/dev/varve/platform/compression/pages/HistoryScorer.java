package dev.varve.platform.compression.pages;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.compression.selection.SmoothScores;
import dev.varve.platform.shard.scoring.TailQueries;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Scores the tokens of a history by the attention of its last tokens. Scores are smoothed and
 * normalised to standard deviations from their mean. A history that is too long to be read at once
 * is read in halves, each before the same last tokens.
 */
record HistoryScorer(PrefillDrafter drafter) {
    /** Smallest history that is halved when memory is insufficient. */
    static final int LEAST_HALVED = 4096;

    private static final int SMOOTHED = 13;
    private static final double LEAST_DEVIATION = 1e-6;

    /**
     * Scores tokens.
     *
     * @param ids token ids of the drafter
     * @throws VarveException if there are too few tokens, or the drafter cannot read them
     */
    double[] of(int[] ids, BooleanSupplier cancelled) {
        if (ids.length < TailQueries.LEAST_TOKENS) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "drafter: " + ids.length + " tokens are too few for scoring");
        }
        try {
            return normal(SmoothScores.of(drafter.score(ids, cancelled), SMOOTHED));
        } catch (VarveException e) {
            if (e.kind() != VarveException.Kind.OUT_OF_MEMORY || ids.length <= LEAST_HALVED) {
                throw e;
            }
            return halves(ids, cancelled);
        }
    }

    private double[] halves(int[] ids, BooleanSupplier cancelled) {
        int middle = ids.length / 2;
        int[] left = Arrays.copyOf(ids, middle + TailQueries.COUNT);
        System.arraycopy(ids, ids.length - TailQueries.COUNT, left, middle, TailQueries.COUNT);
        double[] scores = Arrays.copyOf(of(left, cancelled), ids.length);
        double[] right = of(Arrays.copyOfRange(ids, middle, ids.length), cancelled);
        System.arraycopy(right, 0, scores, middle, right.length);
        return scores;
    }

    private static double[] normal(double[] scores) {
        double mean = Arrays.stream(scores).average().orElseThrow();
        double variance =
                Arrays.stream(scores)
                        .map(score -> (score - mean) * (score - mean))
                        .average()
                        .orElseThrow();
        double deviation = Math.sqrt(variance) + LEAST_DEVIATION;
        double[] normal = new double[scores.length];
        for (int token = 0; token < scores.length; token++) {
            normal[token] = (scores[token] - mean) / deviation;
            if (!Double.isFinite(normal[token])) {
                throw new VarveException(
                        VarveException.Kind.BACKEND_FAILED,
                        "drafter: expected finite scores, found a non-finite one at token "
                                + token);
            }
        }
        return normal;
    }
}
