package dev.varve.platform.speculation;

import dev.varve.api.speculation.Draft;

/**
 * Measures the gain of token trees over their likeliest path: how many more tokens are accepted,
 * and the time for drafting them. Trees are compared with the chosen tokens whether or not a step
 * verified them, so that enough of them are compared. For the engine's thread only.
 */
public final class TreeGainTracker {
    /** Number of drafts before the first tree, to measure the cost of chains. */
    private static final int CHAINS_FIRST = 8;

    /** Number of trees to draft for the first measurements. */
    private static final int MEASURED_TREES = 24;

    /** If trees did not pay, one of this number of drafts is still a tree. */
    private static final int EXPLORATION_INTERVAL = 32;

    /** Factor by which a tree must be better than a chain, since neither cost is known exactly. */
    private static final double MIN_GAIN = 1.02;

    /** Factor that each new tree applies to the older ones: about the last 60 count. */
    private static final double DECAY = 1 - 1.0 / 60;

    private final TreeOptions options;
    private final double[] gained = new double[Draft.MOST_GRADE + 1];
    private final double[] compared = new double[Draft.MOST_GRADE + 1];
    private final StepCosts overhead = new StepCosts();
    private int drafts;
    private boolean profitable;

    TreeGainTracker(TreeOptions options) {
        this.options = options;
    }

    /** Whether every step verifies a tree, at any cost. */
    boolean isForced() {
        return options.always();
    }

    /**
     * Returns the maximum size of the next drafts if they should be trees, or else 0; call it once
     * per round of drafts.
     */
    int draftTokens() {
        if (options.draftTokens() == 0) {
            return 0;
        }
        int number = drafts++;
        boolean learns = number >= CHAINS_FIRST && number < CHAINS_FIRST + MEASURED_TREES;
        boolean tree =
                isForced()
                        || profitable
                        || learns
                        || number % EXPLORATION_INTERVAL == 0 && number > 0;
        return tree ? options.draftTokens() : 0;
    }

    /**
     * Records a tree that was compared with the chosen tokens.
     *
     * @param more number of accepted tokens beyond those of its likeliest path
     */
    public void compared(int grade, int more) {
        gained[grade] = gained[grade] * DECAY + more;
        compared[grade] = compared[grade] * DECAY + 1;
    }

    /** Expected number of accepted tokens of a tree beyond those of its likeliest path. */
    double gain(int grade) {
        return compared[grade] == 0 ? 0 : gained[grade] / compared[grade];
    }

    /** Records the time for drafting trees. */
    void recordDraftTime(int sequences, long nanos) {
        overhead.measured(sequences, nanos);
    }

    /**
     * Time for drafting trees, in nanoseconds.
     *
     * @param chains time for drafting chains
     */
    double overhead(int sequences, double chains) {
        return Math.max(chains, overhead.of(sequences));
    }

    /** Compares tokens per time; returns whether trees pay. */
    boolean compare(double trees, double chains) {
        profitable = trees > MIN_GAIN * chains;
        return profitable;
    }
}
