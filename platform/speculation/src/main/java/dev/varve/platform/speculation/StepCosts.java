package dev.varve.platform.speculation;

/**
 * Measured costs of decode steps by their number of tokens, or of drafts by the number of
 * sequences. All of them grow with the context and with other load on the machine: a measured step
 * updates the time per unit of all steps, and its own cost relative to that.
 */
public final class StepCosts {
    /** Number of tokens up to which each number is measured by itself. */
    private static final int MOST = 512;

    /** Weight of a new measurement. */
    private static final double NEWS = 0.15;

    /**
     * Limit on the ratio of measured to expected time; beyond it, the step was delayed by something
     * else.
     */
    private static final double MAX_DELAY_RATIO = 1.5;

    /** Number of measurements of which the shortest counts. */
    private static final int FEW = 3;

    /** Minimum cost of an additional token, as a share of the mean cost per token. */
    private static final double LEAST_SLOPE = 0.02;

    /**
     * Assumed cost of an additional token without measurements, as a share of the mean cost per
     * token.
     */
    private static final double ASSUMED_SLOPE = 0.35;

    /** Cost by number of tokens, in units of {@link #nanosPerUnit}; 0 without measurements. */
    private final double[] costs = new double[MOST + 1];

    /** Whether a step of this number of tokens was run: the first one also records its graph. */
    private final boolean[] met = new boolean[MOST + 1];

    /** Number of measurements, up to {@link #FEW}. */
    private final int[] counts = new int[MOST + 1];

    /** Current nanoseconds per unit. */
    private double nanosPerUnit;

    /** Records a step; the first one of its number of tokens is ignored. */
    public void measured(int tokens, long nanos) {
        if (tokens > MOST || nanos <= 0) {
            return;
        }
        if (!met[tokens]) {
            met[tokens] = true;
            return;
        }
        if (nanosPerUnit == 0) {
            nanosPerUnit = nanos;
            costs[tokens] = 1;
            return;
        }
        if (costs[tokens] == 0) {
            costs[tokens] = nanos / nanosPerUnit;
            return;
        }
        if (counts[tokens] < FEW) {
            // A few measurements are unreliable, but delays only ever make a step longer.
            counts[tokens]++;
            costs[tokens] = Math.min(costs[tokens], nanos / nanosPerUnit);
        }
        double expected = costs[tokens] * nanosPerUnit;
        double seen = Math.min(nanos, MAX_DELAY_RATIO * expected);
        // Most of the deviation is attributed to the time per unit of all steps.
        nanosPerUnit *= 1 + NEWS * (seen / expected - 1);
        costs[tokens] *= 1 + NEWS / 3 * (seen / (costs[tokens] * nanosPerUnit) - 1);
    }

    /** Whether a step of this number of tokens was measured. */
    public boolean knows(int tokens) {
        return tokens <= MOST && costs[tokens] > 0;
    }

    /**
     * Returns the expected time of a step, in nanoseconds: as measured, interpolated, or
     * extrapolated per token. 0 without measurements.
     */
    public double of(int tokens) {
        if (nanosPerUnit == 0) {
            return 0;
        }
        int below = known(Math.min(tokens, MOST), -1);
        int above = tokens > MOST ? 0 : known(tokens, 1);
        return nanosPerUnit * between(tokens, below, above);
    }

    private double between(int tokens, int below, int above) {
        if (below == above) {
            return costs[below];
        }
        if (below == 0) {
            // Fewer tokens than ever measured: extrapolates with the assumed cost per token.
            return costs[above] * (1 - ASSUMED_SLOPE * (above - tokens) / above);
        }
        if (above == 0) {
            int before = known(below - 1, -1);
            double slope =
                    before == 0
                            ? ASSUMED_SLOPE * costs[below] / below
                            : (costs[below] - costs[before]) / (below - before);
            double least = LEAST_SLOPE * costs[below] / below;
            return costs[below] + Math.max(slope, least) * (tokens - below);
        }
        double share = (double) (tokens - below) / (above - below);
        return costs[below] + share * Math.max(0, costs[above] - costs[below]);
    }

    /** Returns the nearest measured number of tokens in a direction, 0 for none. */
    private int known(int from, int direction) {
        int tokens = from;
        while (tokens > 0 && tokens <= MOST && costs[tokens] == 0) {
            tokens += direction;
        }
        return tokens > MOST ? 0 : Math.max(0, tokens);
    }
}
