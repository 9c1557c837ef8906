package dev.varve.platform.shard;

/** What the graphs of a shard read and write. */
record ShardState(
        ShardWeights weights, KvPool kvPool, StateRows stateRows, HadamardRotation rotation)
        implements AutoCloseable {
    @Override
    public void close() {
        rotation.close();
        stateRows.close();
        kvPool.close();
        weights.close();
    }
}
