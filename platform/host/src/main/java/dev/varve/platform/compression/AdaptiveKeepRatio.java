package dev.varve.platform.compression;

import dev.varve.platform.compression.selection.KeepRatio;

/**
 * Keep ratio of a conversation, adapted to the draft tokens of its responses: where the model often
 * accepts draft tokens, the prompt may become shorter. This relation is not proven, so the feature
 * is opt-in.
 *
 * @param rate weighted mean of the acceptance rates, recent turns weigh most; 0 before the first
 *     one
 * @param thousandths thousandths of the prompt that are kept
 * @param turns number of counted turns
 */
public record AdaptiveKeepRatio(double rate, int thousandths, int turns) {
    /** Start value: keeps a tenth of the prompt. */
    public static final AdaptiveKeepRatio START = new AdaptiveKeepRatio(0, 100, 0);

    private static final int LEAST = 25;
    private static final int MOST = 200;
    private static final int STEP = 5;
    private static final double WEIGHT = 0.3;

    /** Rates between these limits change nothing. */
    private static final double LOW = 0.75;

    private static final double HIGH = 0.85;

    /** Rates beyond these limits change the ratio by a double step. */
    private static final double VERY_LOW = 0.70;

    private static final double VERY_HIGH = 0.90;

    /** Checks the ranges. */
    public AdaptiveKeepRatio {
        requireRate("rate", rate);
        if (thousandths < LEAST || thousandths > MOST || turns < 0) {
            throw new IllegalArgumentException(
                    "expected "
                            + LEAST
                            + " to "
                            + MOST
                            + " thousandths and 0 turns or more, found "
                            + thousandths
                            + " and "
                            + turns);
        }
    }

    /** Returns the part that is kept. */
    public KeepRatio keep() {
        return KeepRatio.ofThousandths(thousandths);
    }

    /**
     * Returns the state after a turn that used draft tokens.
     *
     * @param acceptance part of the draft tokens that the model accepted, from 0 to 1
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
