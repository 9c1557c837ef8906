package dev.varve.platform.speculation;

import dev.varve.api.speculation.Draft;

/**
 * How often guesses turn out right: by the grade of their draft, and by how many guesses stand
 * before them in it, which all were right. What was long ago counts less.
 */
public final class AcceptanceRates {
    /** What one more guess leaves of those before it: about the last 60 count. */
    private static final double FADE = 1 - 1.0 / 60;

    /** Guesses that the rates begin with, so that one of them alone decides nothing. */
    private static final double PRIOR = 3;

    private final double[][] right;
    private final double[][] tried;

    /**
     * @param depth most guesses of a draft
     */
    public AcceptanceRates(int depth) {
        right = new double[Draft.MOST_GRADE + 1][depth];
        tried = new double[Draft.MOST_GRADE + 1][depth];
    }

    /**
     * Takes note of a draft that was compared with what came.
     *
     * @param known guesses of which it is known whether they were right
     * @param accepted how many of them were, all before the first wrong one
     */
    public void record(int grade, int known, int accepted) {
        for (int i = 0; i < Math.min(known, accepted + 1); i++) {
            right[grade][i] = right[grade][i] * FADE + (i < accepted ? 1 : 0);
            tried[grade][i] = tried[grade][i] * FADE + 1;
        }
    }

    /**
     * Chance that a guess is right if all before it were.
     *
     * @param depth guesses before it
     * @param expected what to go by as long as little was tried
     */
    public double rate(int grade, int depth, double expected) {
        return (right[grade][depth] + PRIOR * expected) / (tried[grade][depth] + PRIOR);
    }

    /** Guesses at a depth that count at the moment. */
    double tried(int grade, int depth) {
        return tried[grade][depth];
    }
}
