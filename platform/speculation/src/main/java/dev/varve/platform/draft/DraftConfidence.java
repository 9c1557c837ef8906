package dev.varve.platform.draft;

import dev.varve.api.speculation.Draft;

/**
 * What a network thinks of its own guesses. It is not taken at its word: drafts that it thinks of
 * alike have a grade of their own, by which the engine learns how they fare.
 *
 * @param worthwhile guesses before the first one that is hopeless
 * @param grade of the draft
 */
record DraftConfidence(int worthwhile, int grade) {
    /** Chance of all guesses up to one, below which that one is left out. */
    private static final double HOPELESS = 0.05;

    /**
     * Weighs guesses.
     *
     * @param chances that each is right if those before it are; empty where nothing is known
     * @param most guesses that are asked for
     */
    static DraftConfidence of(float[] chances, int most) {
        if (chances.length == 0 || most == 0) {
            return new DraftConfidence(most, 0);
        }
        double all = 1;
        double right = 0;
        int worthwhile = most;
        for (int i = 0; i < most; i++) {
            all *= chances[i];
            right += all;
            // Written so that a NaN counts as hopeless. One guess is always tried, to learn of it.
            if (worthwhile == most && i > 0 && !(all >= HOPELESS)) {
                worthwhile = i;
            }
        }
        int grades = Draft.MOST_GRADE + 1;
        int grade = (int) Math.min(Draft.MOST_GRADE, grades * right / most);
        return new DraftConfidence(worthwhile, grade);
    }
}
