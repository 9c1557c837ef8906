package dev.varve.platform.speculation;

import dev.varve.api.speculation.Draft;

/**
 * Acceptance rates of draft tokens: by the grade of their draft, and by the number of draft tokens
 * before them, all of which were accepted. Old results count less.
 */
public final class AcceptanceRates {
    /** Factor that each new result applies to the older ones: about the last 60 count. */
    private static final double DECAY = 1 - 1.0 / 60;

    /** Weight of the expected rate, in draft tokens, so that a single result decides nothing. */
    private static final double PRIOR = 3;

    private final double[][] acceptedWeight;
    private final double[][] verifiedWeight;

    /**
     * @param depth maximum draft length
     */
    public AcceptanceRates(int depth) {
        acceptedWeight = new double[Draft.MOST_GRADE + 1][depth];
        verifiedWeight = new double[Draft.MOST_GRADE + 1][depth];
    }

    /**
     * Records the verification of a draft.
     *
     * @param known number of draft tokens that were verified
     * @param accepted number of accepted ones, all before the first rejected one
     */
    public void record(int grade, int known, int accepted) {
        for (int i = 0; i < Math.min(known, accepted + 1); i++) {
            acceptedWeight[grade][i] = acceptedWeight[grade][i] * DECAY + (i < accepted ? 1 : 0);
            verifiedWeight[grade][i] = verifiedWeight[grade][i] * DECAY + 1;
        }
    }

    /**
     * Returns the chance that a draft token is accepted if all before it are.
     *
     * @param depth number of draft tokens before it
     * @param expected rate to assume while few were verified
     */
    public double rate(int grade, int depth, double expected) {
        return (acceptedWeight[grade][depth] + PRIOR * expected)
                / (verifiedWeight[grade][depth] + PRIOR);
    }

    /** Current weight of the verified draft tokens at a depth. */
    double verifiedWeight(int grade, int depth) {
        return verifiedWeight[grade][depth];
    }
}
