package dev.varve.platform.speculation;

import java.util.List;

/**
 * Budget of time for trying other draft lengths: a small share of all decode steps, and more at the
 * beginning, without measurements. Costs and acceptance rates change, and a high measured cost may
 * have had another cause.
 */
public final class ExplorationBudget {
    /** Share of the time of all steps. */
    private static final double SHARE = 0.005;

    /** Maximum budget, in steps. */
    private static final int MOST_STEPS = 12;

    /** Parts of a draft that are tried in turn: all of it, half, a quarter. */
    private static final int PARTS = 3;

    private double credit = Double.NaN;
    private int turn;

    /** Adds the share of a decode step. */
    public void recordStepTime(long nanos) {
        double most = MOST_STEPS * (double) nanos;
        credit = Double.isNaN(credit) ? most : Math.min(credit + SHARE * nanos, most);
    }

    /** Whether a time is negligible compared with a step. */
    public static boolean isNothing(double nanos, double step) {
        return nanos <= SHARE * step;
    }

    /** Whether the budget covers a time. */
    public boolean canSpend(double nanos) {
        return credit >= nanos;
    }

    /** Subtracts a time from the budget. */
    public void spend(double nanos) {
        credit -= Math.max(0, nanos);
    }

    /**
     * Returns the draft lengths to try next, none below the best: costs of shorter drafts follow
     * from those of longer ones.
     */
    public int[] more(
            DraftLengthOptimizer widths,
            List<DraftLengthOptimizer.Candidate> candidates,
            int[] best) {
        int shift = turn++ % PARTS;
        int[] more = best.clone();
        for (int i = 0; i < more.length; i++) {
            int length = candidates.get(i).probabilities().length;
            int part = length == 0 ? 0 : widths.usual(Math.max(1, length >> shift));
            more[i] = Math.max(best[i], part);
        }
        return more;
    }
}
