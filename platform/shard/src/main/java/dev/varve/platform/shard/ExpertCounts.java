package dev.varve.platform.shard;

/**
 * Counters of experts that a shard in this process read from the file.
 *
 * @param hits experts that a step needed and found in the cache
 * @param misses experts that a step needed and that were read
 * @param readBytes bytes that were read, in whole pages
 */
public record ExpertCounts(long hits, long misses, long readBytes) {
    /** Counters of a shard whose experts are in memory, and of one in another process. */
    public static final ExpertCounts NONE = new ExpertCounts(0, 0, 0);

    /**
     * Returns the share of needed experts that were in memory, from 0 to 1; 1 if none was needed.
     */
    public double hitRate() {
        return hits + misses == 0 ? 1 : (double) hits / (hits + misses);
    }

    /** Whether no expert was needed. */
    public boolean isEmpty() {
        return hits + misses == 0;
    }

    /** Returns what was counted since an earlier time; nothing if the counters are others. */
    public ExpertCounts since(ExpertCounts before) {
        return hits < before.hits || misses < before.misses
                ? NONE
                : new ExpertCounts(
                        hits - before.hits, misses - before.misses, readBytes - before.readBytes);
    }

    /** Returns a part of all counts, each rounded down: a numerator over a positive denominator. */
    public ExpertCounts scaled(long numerator, long denominator) {
        return new ExpertCounts(
                hits * numerator / denominator,
                misses * numerator / denominator,
                readBytes * numerator / denominator);
    }

    /** Returns the sum of both. */
    public ExpertCounts plus(ExpertCounts other) {
        return new ExpertCounts(
                hits + other.hits, misses + other.misses, readBytes + other.readBytes);
    }
}
