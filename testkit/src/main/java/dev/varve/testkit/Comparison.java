package dev.varve.testkit;

import java.util.Arrays;

/** Compares logits and greedy runs of two implementations. */
public final class Comparison {
    private Comparison() {}

    /**
     * Agreement of two greedy runs.
     *
     * @param equalTokens length of the common prefix
     * @param equal whether the runs are the same
     */
    public record Greedy(int equalTokens, boolean equal) {}

    /**
     * A greedy run with the logits behind each choice.
     *
     * @param tokens the generated tokens
     * @param logits {@code [tokens.length][vocabulary]}; token i was chosen from row i
     */
    public record GreedyRun(int[] tokens, float[][] logits) {}

    /**
     * The two best tokens of a row.
     *
     * @param margin lead of the first, in logits; 0 for a tie
     */
    public record TopTwo(int first, int second, float margin) {}

    /** The token with the largest logit; the lowest id wins a tie. */
    public static int argmax(float[] logits) {
        int best = 0;
        for (int token = 1; token < logits.length; token++) {
            if (logits[token] > logits[best]) {
                best = token;
            }
        }
        return best;
    }

    /** The best and the second best token of at least two. */
    public static TopTwo topTwo(float[] logits) {
        int first = argmax(logits);
        int second = first == 0 ? 1 : 0;
        for (int token = 0; token < logits.length; token++) {
            if (token != first && logits[token] > logits[second]) {
                second = token;
            }
        }
        return new TopTwo(first, second, logits[first] - logits[second]);
    }

    /**
     * Norm of the difference over the norm of the expected row; infinite if anything is not a
     * finite number.
     */
    public static double relativeL2(float[] expected, float[] actual) {
        requireSameLength(expected.length, actual.length);
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < expected.length; i++) {
            double delta = (double) actual[i] - expected[i];
            difference += delta * delta;
            norm += (double) expected[i] * expected[i];
        }
        double ratio = Math.sqrt(difference) / Math.sqrt(norm);
        return difference == 0 ? 0 : Double.isFinite(ratio) ? ratio : Double.POSITIVE_INFINITY;
    }

    /** {@link #relativeL2} of each row. */
    public static double[] relativeL2(float[][] expected, float[][] actual) {
        requireSameLength(expected.length, actual.length);
        double[] result = new double[expected.length];
        for (int row = 0; row < result.length; row++) {
            result[row] = relativeL2(expected[row], actual[row]);
        }
        return result;
    }

    /** The largest {@link #relativeL2} over all rows. */
    public static double worstRelativeL2(float[][] expected, float[][] actual) {
        double worst = 0;
        for (double row : relativeL2(expected, actual)) {
            worst = Math.max(worst, row);
        }
        return worst;
    }

    /** The largest difference of two logits of the same token. */
    public static double worstDifference(float[] expected, float[] actual) {
        requireSameLength(expected.length, actual.length);
        double worst = 0;
        for (int i = 0; i < expected.length; i++) {
            double difference = Math.abs((double) expected[i] - actual[i]);
            worst =
                    Double.isNaN(difference)
                            ? Double.POSITIVE_INFINITY
                            : Math.max(worst, difference);
        }
        return worst;
    }

    public static Greedy greedy(int[] expected, int[] actual) {
        int mismatch = Arrays.mismatch(expected, actual);
        return mismatch < 0 ? new Greedy(expected.length, true) : new Greedy(mismatch, false);
    }

    /**
     * Asserts that rows are equal up to rounding: each is close, no matter how the runs were cut
     * into batches.
     *
     * @param tolerance largest relative L2 of a row
     * @throws AssertionError naming the row, the distance and how clear its winner was
     */
    public static void assertGradeC(
            String what, float[][] expected, float[][] actual, double tolerance) {
        requireSameLength(expected.length, actual.length);
        for (int row = 0; row < expected.length; row++) {
            double distance = relativeL2(expected[row], actual[row]);
            if (!(distance <= tolerance)) {
                throw new AssertionError(
                        what
                                + ": row "
                                + row
                                + " of "
                                + expected.length
                                + ": relative L2 "
                                + distance
                                + ", expected at most "
                                + tolerance
                                + "; best tokens "
                                + topTwo(expected[row])
                                + ", found "
                                + topTwo(actual[row]));
            }
        }
    }

    /**
     * Asserts that a greedy run is the expected one, or leaves it first at a token that was too
     * close to call. The tokens after such a token belong to another text and are not compared.
     *
     * @param actual tokens of the other run, as many as the expected run has
     * @param logitDifference largest difference of two logits that was measured between both
     *     implementations
     * @throws AssertionError if the expected token led by more than four times that difference
     */
    public static void assertGreedyGradeC(
            String what, GreedyRun expected, int[] actual, double logitDifference) {
        requireSameLength(expected.tokens().length, actual.length);
        int step = greedy(expected.tokens(), actual).equalTokens();
        if (step == actual.length) {
            return;
        }
        float[] logits = expected.logits()[step];
        float lead = logits[expected.tokens()[step]] - logits[actual[step]];
        if (!(lead <= 4 * logitDifference)) {
            throw new AssertionError(
                    what
                            + ": token "
                            + step
                            + " of "
                            + actual.length
                            + ": expected "
                            + expected.tokens()[step]
                            + ", found "
                            + actual[step]
                            + "; it led by "
                            + lead
                            + ", logits differ by at most "
                            + logitDifference);
        }
    }

    private static void requireSameLength(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionError("expected " + expected + " entries, found " + actual);
        }
    }
}
