package dev.varve.platform.compression;

import dev.varve.platform.compression.selection.KeepRatio;

/**
 * How much of a conversation's prompts stays, as its answers suggest: where the guesses for an
 * answer are often right, the prompt may become shorter. Nobody has shown that one follows from the
 * other, so it is for those who ask for it.
 *
 * @param rate mean of the parts of guesses that were right, the latest turns counting most; 0
 *     before the first one
 * @param thousandths of the prompt that stay
 * @param turns that have been counted
 */
public record AdaptiveKeepRatio(double rate, int thousandths, int turns) {
    /** A tenth stays before anything is known. */
    public static final AdaptiveKeepRatio START = new AdaptiveKeepRatio(0, 100, 0);

    private static final int LEAST = 25;
    private static final int MOST = 200;
    private static final int STEP = 5;
    private static final double WEIGHT = 0.3;

    /** Between these rates all stays as it is. */
    private static final double LOW = 0.75;

    private static final double HIGH = 0.85;

    /** Beyond these a step is twice as long. */
    private static final double VERY_LOW = 0.70;

    private static final double VERY_HIGH = 0.90;

    /** Checks the numbers. */
    public AdaptiveKeepRatio {
        requireRate("rate", rate);
        if (thousandths < LEAST || thousandths > MOST || turns < 0) {
            throw new IllegalArgumentException(
                    "expected "
                            + LEAST
                            + " to "
                            + MOST
                            + " thousandths and no number of turns below 0, found "
                            + thousandths
                            + " and "
                            + turns);
        }
    }

    /** The part that stays. */
    public KeepRatio keep() {
        return KeepRatio.ofThousandths(thousandths);
    }

    /**
     * Learns from a turn in which tokens were guessed.
     *
     * @param acceptance part of the guesses that were right, from 0 to 1
     */
    public AdaptiveKeepRatio after(double acceptance) {
        requireRate("acceptance", acceptance);
        double mean = turns == 0 ? acceptance : (1 - WEIGHT) * rate + WEIGHT * acceptance;
        return new AdaptiveKeepRatio(
                mean, Math.clamp(thousandths + step(mean), LEAST, MOST), Math.addExact(turns, 1));
    }

    private static void requireRate(String what, double rate) {
        if (!(rate >= 0 && rate <= 1)) {
            throw new IllegalArgumentException(what + ": expected 0 to 1, found " + rate);
        }
    }

    private static int step(double mean) {
        if (mean > HIGH) {
            return mean > VERY_HIGH ? -2 * STEP : -STEP;
        }
        if (mean < LOW) {
            return mean < VERY_LOW ? 2 * STEP : STEP;
        }
        return 0;
    }
}
