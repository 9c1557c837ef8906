package dev.varve.platform.speculation;

/**
 * Controls the collection of the target's hidden states while drafts do not pay: processing all of
 * them would cost time for every token without a benefit. So states are collected for a few steps
 * only, when enough time was saved for that, followed by one draft. For the engine's thread only.
 */
public final class FeatureProbeSchedule {
    /**
     * Number of steps that a draft model must process before it drafts for a sequence, and some
     * more.
     */
    static final int STEPS = 24;

    /** Number of tokens over which the cost is averaged. */
    private static final long MOST_TOKENS = 1 << 13;

    private long nanos;
    private long tokens;
    private int left;

    /** Records the time for processing the states of some tokens. */
    public void recordTime(int taken, long duration) {
        nanos += duration;
        tokens += taken;
        if (tokens > MOST_TOKENS) {
            nanos /= 2;
            tokens /= 2;
        }
    }

    /** Expected cost of a collection, in nanoseconds. */
    public double cost(int sequences) {
        return tokens == 0 ? 0 : (double) nanos / tokens * STEPS * sequences;
    }

    /** Begins a collection. */
    public void begin() {
        left = STEPS;
    }

    /** Whether the states of the next step are collected. */
    public boolean isActive() {
        return left > 0;
    }

    /**
     * Counts one collected step.
     *
     * @return whether it was the last one, so that drafts may be requested
     */
    public boolean countStep() {
        left--;
        return left == 0;
    }
}
