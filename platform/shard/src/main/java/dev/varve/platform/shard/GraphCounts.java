package dev.varve.platform.shard;

/**
 * Counters of the graphs that a shard in this process computed, by the phase of their batches.
 *
 * <p>A recorded graph costs time on the host, and a device that captures graphs captures it again.
 * In decode, graphs are recorded when sequences start, end or reach a new block of {@value
 * KvSlotSpan#BLOCK} tokens.
 */
public record GraphCounts(PhaseCounts prefill, PhaseCounts decode) {
    /** Counters before the first batch, and of a shard in another process. */
    public static final GraphCounts NONE = new GraphCounts(PhaseCounts.NONE, PhaseCounts.NONE);

    /**
     * Counters of one phase.
     *
     * @param recorded graphs that were recorded for a batch
     * @param reused batches that were computed with a graph of an earlier batch
     */
    public record PhaseCounts(long recorded, long reused) {
        static final PhaseCounts NONE = new PhaseCounts(0, 0);

        private PhaseCounts plus(PhaseCounts other) {
            return new PhaseCounts(recorded + other.recorded, reused + other.reused);
        }
    }

    /** Returns the sum of both. */
    public GraphCounts plus(GraphCounts other) {
        return new GraphCounts(prefill.plus(other.prefill), decode.plus(other.decode));
    }
}
