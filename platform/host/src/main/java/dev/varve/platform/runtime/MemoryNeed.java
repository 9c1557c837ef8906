package dev.varve.platform.runtime;

/**
 * Memory need by purpose.
 *
 * @param weightBytes weights, mapped or copied
 * @param kvBytes KV pool
 * @param stateBytes recurrent states and window regions
 * @param computeBytes compute buffers, an upper estimate
 */
public record MemoryNeed(long weightBytes, long kvBytes, long stateBytes, long computeBytes) {
    /** No memory. */
    static final MemoryNeed NONE = new MemoryNeed(0, 0, 0, 0);

    /** Returns the sum of all parts. */
    public long totalBytes() {
        return weightBytes + kvBytes + stateBytes + computeBytes;
    }

    /** Returns the need of several copies, which may share one copy of the weights. */
    public MemoryNeed replicated(int count, boolean shareWeights) {
        return new MemoryNeed(
                weightBytes * (shareWeights ? 1 : count),
                kvBytes * count,
                stateBytes * count,
                computeBytes * count);
    }

    /** Returns the sum of two needs. */
    MemoryNeed plus(MemoryNeed other) {
        return new MemoryNeed(
                weightBytes + other.weightBytes,
                kvBytes + other.kvBytes,
                stateBytes + other.stateBytes,
                computeBytes + other.computeBytes);
    }
}
