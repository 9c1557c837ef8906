package dev.varve.platform.draft;

import dev.varve.api.speculation.Draft;

/**
 * Confidence of a network in its own draft tokens. It is not used directly: drafts of similar
 * confidence share a grade, by which the engine measures their acceptance rates.
 *
 * @param usefulTokens number of draft tokens before the first hopeless one
 * @param grade of the draft
 */
record DraftConfidence(int usefulTokens, int grade) {
    /** Minimum chance of all draft tokens up to one; below it, that one is left out. */
    private static final double MIN_PROBABILITY = 0.05;

    /**
     * Computes the confidence.
     *
     * @param probabilities that each is accepted if those before it are; empty if unknown
     * @param most requested number of draft tokens
     */
    static DraftConfidence of(float[] probabilities, int most) {
        if (probabilities.length == 0 || most == 0) {
            return new DraftConfidence(most, 0);
        }
        double all = 1;
        double right = 0;
        int usefulTokens = most;
        for (int i = 0; i < most; i++) {
            all *= probabilities[i];
            right += all;
            // Written so that a NaN counts as hopeless. One draft token is always verified, to
            // measure its rate.
            if (usefulTokens == most && i > 0 && !(all >= MIN_PROBABILITY)) {
                usefulTokens = i;
            }
        }
        int grades = Draft.MOST_GRADE + 1;
        int grade = (int) Math.min(Draft.MOST_GRADE, grades * right / most);
        return new DraftConfidence(usefulTokens, grade);
    }
}
