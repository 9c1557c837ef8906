package dev.varve.platform.speculation;

/**
 * What steps of decode cost by the number of tokens in them, or guessing by the number of
 * sequences, as far as that was measured. All of them grow with the context and with whatever else
 * the machine does: a measured step says how much faster or slower everything is than it was, and
 * what it itself costs beyond that.
 */
public final class StepCosts {
    /** Tokens up to which each number is measured by itself. */
    private static final int MOST = 512;

    /** Weight of a new measurement. */
    private static final double NEWS = 0.15;

    /** A step that took this much longer than expected was held up by something else. */
    private static final double HELD_UP = 1.5;

    /** Measurements of a number of which the shortest counts. */
    private static final int FEW = 3;

    /** Share of the first token's cost that another one is thought to cost at least. */
    private static final double LEAST_SLOPE = 0.02;

    /** Share that another one is thought to cost where nothing else is known. */
    private static final double GUESSED_SLOPE = 0.35;

    /** By number of tokens, in units of {@link #pace}; 0 where nothing was measured. */
    private final double[] costs = new double[MOST + 1];

    /** Of which numbers a step was there already: the first of them also records its graph. */
    private final boolean[] met = new boolean[MOST + 1];

    /** How often each number was measured, as far as it matters. */
    private final int[] counts = new int[MOST + 1];

    /** Nanoseconds of a unit, at the moment. */
    private double pace;

    /** Takes note of a step; the first of its number says nothing. */
    public void measured(int tokens, long nanos) {
        if (tokens > MOST || nanos <= 0) {
            return;
        }
        if (!met[tokens]) {
            met[tokens] = true;
            return;
        }
        if (pace == 0) {
            pace = nanos;
            costs[tokens] = 1;
            return;
        }
        if (costs[tokens] == 0) {
            costs[tokens] = nanos / pace;
            return;
        }
        if (counts[tokens] < FEW) {
            // So few say little, but what holds a step up only ever makes it longer.
            counts[tokens]++;
            costs[tokens] = Math.min(costs[tokens], nanos / pace);
        }
        double expected = costs[tokens] * pace;
        double seen = Math.min(nanos, HELD_UP * expected);
        // Most of what is new is held for the pace of everything.
        pace *= 1 + NEWS * (seen / expected - 1);
        costs[tokens] *= 1 + NEWS / 3 * (seen / (costs[tokens] * pace) - 1);
    }

    /** Whether a step of so many tokens was measured. */
    public boolean knows(int tokens) {
        return tokens <= MOST && costs[tokens] > 0;
    }

    /**
     * What a step of so many tokens is expected to take, in nanoseconds: as was measured, and
     * beyond that more for every token. 0 if nothing was measured.
     */
    public double of(int tokens) {
        if (pace == 0) {
            return 0;
        }
        int below = known(Math.min(tokens, MOST), -1);
        int above = tokens > MOST ? 0 : known(tokens, 1);
        return pace * between(tokens, below, above);
    }

    private double between(int tokens, int below, int above) {
        if (below == above) {
            return costs[below];
        }
        if (below == 0) {
            // Fewer tokens than were ever seen: as if all of them cost the same.
            return costs[above] * (1 - GUESSED_SLOPE * (above - tokens) / above);
        }
        if (above == 0) {
            int before = known(below - 1, -1);
            double slope =
                    before == 0
                            ? GUESSED_SLOPE * costs[below] / below
                            : (costs[below] - costs[before]) / (below - before);
            double least = LEAST_SLOPE * costs[below] / below;
            return costs[below] + Math.max(slope, least) * (tokens - below);
        }
        double share = (double) (tokens - below) / (above - below);
        return costs[below] + share * Math.max(0, costs[above] - costs[below]);
    }

    /** The nearest measured number in a direction, 0 for none. */
    private int known(int from, int direction) {
        int tokens = from;
        while (tokens > 0 && tokens <= MOST && costs[tokens] == 0) {
            tokens += direction;
        }
        return tokens > MOST ? 0 : Math.max(0, tokens);
    }
}
