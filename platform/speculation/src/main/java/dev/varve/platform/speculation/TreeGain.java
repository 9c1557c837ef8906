package dev.varve.platform.speculation;

import dev.varve.api.speculation.Draft;

/**
 * What it is worth that guesses branch: how many more tokens are right than on the likeliest path
 * alone, and what it takes to guess them. Trees are compared with what came whether a step checked
 * them or not, so that some of them tell enough. Only the engine's thread uses it.
 */
public final class TreeGain {
    /** Drafts before the first tree, by which it is known what others cost. */
    private static final int CHAINS_FIRST = 8;

    /** Trees that are guessed to learn of them. */
    private static final int TREES_TO_LEARN = 24;

    /** Where they did not pay, one of so many drafts is a tree all the same. */
    private static final int NOW_AND_THEN = 32;

    /** A tree must promise this much more than a chain, since neither is known exactly. */
    private static final double WORTH_IT = 1.02;

    /** What one more tree leaves of those before it: about the last 60 count. */
    private static final double FADE = 1 - 1.0 / 60;

    private final TreeOptions options;
    private final double[] gained = new double[Draft.MOST_GRADE + 1];
    private final double[] compared = new double[Draft.MOST_GRADE + 1];
    private final StepCosts overhead = new StepCosts();
    private int drafts;
    private boolean pays;

    TreeGain(TreeOptions options) {
        this.options = options;
    }

    /** Whether every step checks a tree, whatever it costs. */
    boolean isForced() {
        return options.always();
    }

    /** Most guesses of the next drafts if they should be trees, or else 0; asked once for each. */
    int guesses() {
        if (options.guesses() == 0) {
            return 0;
        }
        int number = drafts++;
        boolean learns = number >= CHAINS_FIRST && number < CHAINS_FIRST + TREES_TO_LEARN;
        boolean tree = isForced() || pays || learns || number % NOW_AND_THEN == 0 && number > 0;
        return tree ? options.guesses() : 0;
    }

    /**
     * Takes note of a tree that was compared with what came.
     *
     * @param more tokens that were right beyond those of its likeliest path
     */
    public void compared(int grade, int more) {
        gained[grade] = gained[grade] * FADE + more;
        compared[grade] = compared[grade] * FADE + 1;
    }

    /** Tokens that a tree is thought to give beyond those of its likeliest path. */
    double gain(int grade) {
        return compared[grade] == 0 ? 0 : gained[grade] / compared[grade];
    }

    /** Takes note of how long it took to guess trees. */
    void guessingTook(int sequences, long nanos) {
        overhead.measured(sequences, nanos);
    }

    /**
     * What it takes to guess trees.
     *
     * @param chains what it takes to guess chains
     */
    double overhead(int sequences, double chains) {
        return Math.max(chains, overhead.of(sequences));
    }

    /** Compares tokens per time; says whether trees pay. */
    boolean weigh(double trees, double chains) {
        pays = trees > WORTH_IT * chains;
        return pays;
    }
}
