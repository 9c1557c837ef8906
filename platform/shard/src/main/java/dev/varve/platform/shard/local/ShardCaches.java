package dev.varve.platform.shard.local;

/**
 * Caches of a shard for its sequences.
 *
 * @param kvPool rows of the full attention layers
 * @param windowPool rows of the sliding layers
 * @param windows which of these rows hold which positions
 * @param stateRows recurrent states
 * @param rollbackBuffer inputs of recurrent states from drafted chunks
 * @param pages rows of full attention layers in host memory
 */
record ShardCaches(
        KvPool kvPool,
        KvPool windowPool,
        WindowSlotMap windows,
        RecurrentStateTensors stateRows,
        StateRollbackBuffer rollbackBuffer,
        HostPages pages)
        implements AutoCloseable {
    /** Bytes of all caches on the device. */
    long bytes() {
        return kvPool.bytes() + windowPool.bytes() + stateRows.bytes() + rollbackBuffer.bytes();
    }

    @Override
    public void close() {
        pages.close();
        rollbackBuffer.close();
        stateRows.close();
        windowPool.close();
        kvPool.close();
    }
}
