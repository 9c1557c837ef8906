package dev.varve.platform.runtime;

/**
 * Memory by what it is for.
 *
 * @param weightBytes weights, mapped or copied
 * @param kvBytes KV pool
 * @param stateBytes recurrent states and window regions
 * @param computeBytes compute buffers, estimated from above
 */
public record MemoryNeed(long weightBytes, long kvBytes, long stateBytes, long computeBytes) {
    /** Nothing at all. */
    static final MemoryNeed NONE = new MemoryNeed(0, 0, 0, 0);

    /** Bytes of all parts. */
    public long totalBytes() {
        return weightBytes + kvBytes + stateBytes + computeBytes;
    }

    /** What several need together, that may have one copy of the weights. */
    MemoryNeed replicated(int count, boolean shareWeights) {
        return new MemoryNeed(
                weightBytes * (shareWeights ? 1 : count),
                kvBytes * count,
                stateBytes * count,
                computeBytes * count);
    }

    /** Both together. */
    MemoryNeed plus(MemoryNeed other) {
        return new MemoryNeed(
                weightBytes + other.weightBytes,
                kvBytes + other.kvBytes,
                stateBytes + other.stateBytes,
                computeBytes + other.computeBytes);
    }
}
