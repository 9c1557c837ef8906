package dev.varve.platform.paging;

/**
 * The memory that pools of an automatic size are made from.
 *
 * @param freeBytes free beside weights and states; 0 where nobody knows
 * @param reserveBytes of these, what is left to everything else
 * @param bytesPerToken K and V rows of one token; 0 where nobody knows
 * @param sequences that there are at once, each with a pool of its own
 */
public record PoolBudget(long freeBytes, long reserveBytes, long bytesPerToken, int sequences) {
    /** Stays free for compute buffers and for whoever else uses the device. */
    public static final long RESERVE_BYTES = 3L << 29;

    /** Checks that sequences are there. */
    public PoolBudget {
        if (sequences < 1) {
            throw new IllegalArgumentException("a budget of " + sequences + " sequences");
        }
    }

    /** A budget with the usual reserve. */
    public static PoolBudget of(long freeBytes, long bytesPerToken, int sequences) {
        return new PoolBudget(freeBytes, RESERVE_BYTES, bytesPerToken, sequences);
    }

    /** The same with more in reserve. */
    public PoolBudget reserving(long bytes) {
        return new PoolBudget(freeBytes, reserveBytes + bytes, bytesPerToken, sequences);
    }

    /** Whether anybody knows what is free, and what a token takes. */
    boolean isKnown() {
        return freeBytes > 0 && bytesPerToken > 0;
    }

    /** Tokens of each sequence that half of what the reserve leaves is enough for. */
    long tokens() {
        return Math.max(0, freeBytes - reserveBytes) / 2 / bytesPerToken / sequences;
    }
}
