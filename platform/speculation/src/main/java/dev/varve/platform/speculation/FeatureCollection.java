package dev.varve.platform.speculation;

/**
 * Whether hidden states of the target are taken in where guesses do not pay: a draft that went by
 * all of them would cost every token for nothing. So it looks on for a few steps only, when enough
 * time was saved for that, and guesses once behind them. Only the engine's thread uses it.
 */
public final class FeatureCollection {
    /** Steps that a draft needs to see of a sequence before it guesses at all, and some more. */
    static final int STEPS = 24;

    /** Tokens of which the cost is remembered. */
    private static final long MOST_TOKENS = 1 << 13;

    private long nanos;
    private long tokens;
    private int left;

    /** Takes note of what it took to take in some tokens. */
    public void took(int taken, long duration) {
        nanos += duration;
        tokens += taken;
        if (tokens > MOST_TOKENS) {
            nanos /= 2;
            tokens /= 2;
        }
    }

    /** What looking on costs, in nanoseconds. */
    public double cost(int sequences) {
        return tokens == 0 ? 0 : (double) nanos / tokens * STEPS * sequences;
    }

    /** Begins to look on. */
    public void begin() {
        left = STEPS;
    }

    /** Whether the next step is looked at. */
    public boolean isUnderWay() {
        return left > 0;
    }

    /**
     * One step more was looked at.
     *
     * @return whether that was the last one, and guesses may be asked for
     */
    public boolean passed() {
        left--;
        return left == 0;
    }
}
