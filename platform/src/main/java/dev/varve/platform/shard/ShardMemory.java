package dev.varve.platform.shard;

/**
 * Bytes that a shard holds.
 *
 * @param weights in buffers of its own
 * @param mappedWeights in the mapped model file, shared with other processes
 * @param kv KV pool and recurrent state rows
 * @param compute compute buffers
 */
public record ShardMemory(long weights, long mappedWeights, long kv, long compute) {
    /** Weights, wherever they are. */
    public long allWeights() {
        return weights + mappedWeights;
    }

    /** All of it. */
    public long total() {
        return weights + mappedWeights + kv + compute;
    }
}
