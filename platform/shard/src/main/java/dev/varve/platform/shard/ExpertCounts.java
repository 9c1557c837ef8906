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

    /** Returns the sum of both. */
    public ExpertCounts plus(ExpertCounts other) {
        return new ExpertCounts(
                hits + other.hits, misses + other.misses, readBytes + other.readBytes);
    }
}
