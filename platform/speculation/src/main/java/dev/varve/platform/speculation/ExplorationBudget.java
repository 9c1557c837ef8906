package dev.varve.platform.speculation;

import java.util.List;

/**
 * How much time may be spent on finding out whether other numbers of guesses pay: a small share of
 * all steps of decode, and more of it in the beginning, when nothing is known. Costs and chances
 * change, and what looked dear once may have been held up by something else.
 */
public final class ExplorationBudget {
    /** Share of the time of all steps. */
    private static final double SHARE = 0.005;

    /** Steps whose time may be spent at once. */
    private static final int MOST_STEPS = 12;

    /** Parts of a draft that are tried in turn: all of it, half, a quarter. */
    private static final int PARTS = 3;

    private double credit = Double.NaN;
    private int turn;

    /** Takes note of a step of decode. */
    public void stepTook(long nanos) {
        double most = MOST_STEPS * (double) nanos;
        credit = Double.isNaN(credit) ? most : Math.min(credit + SHARE * nanos, most);
    }

    /** Whether something is so quick that nobody needs to save it. */
    public static boolean isNothing(double nanos, double step) {
        return nanos <= SHARE * step;
    }

    /** Whether so much may be spent. */
    public boolean affords(double nanos) {
        return credit >= nanos;
    }

    /** Spends it. */
    public void spend(double nanos) {
        credit -= Math.max(0, nanos);
    }

    /**
     * Numbers of guesses to try next, none of which is below the best: what fewer cost follows from
     * what more cost.
     */
    public int[] more(
            DraftLengthOptimizer widths,
            List<DraftLengthOptimizer.Candidate> candidates,
            int[] best) {
        int shift = turn++ % PARTS;
        int[] more = best.clone();
        for (int i = 0; i < more.length; i++) {
            int length = candidates.get(i).chances().length;
            int part = length == 0 ? 0 : widths.usual(Math.max(1, length >> shift));
            more[i] = Math.max(best[i], part);
        }
        return more;
    }
}
