package dev.varve.platform.shard.local;

/**
 * What a shard keeps of its sequences.
 *
 * @param kvPool rows of the full attention layers
 * @param windowPool rows of the sliding layers
 * @param windows which of these rows hold which positions
 * @param stateRows recurrent states
 */
record ShardCaches(KvPool kvPool, KvPool windowPool, WindowRegions windows, StateRows stateRows)
        implements AutoCloseable {
    /** Bytes of all of them. */
    long bytes() {
        return kvPool.bytes() + windowPool.bytes() + stateRows.bytes();
    }

    @Override
    public void close() {
        stateRows.close();
        windowPool.close();
        kvPool.close();
    }
}
