package dev.varve.platform.shard;

/**
 * Bytes that a shard holds.
 *
 * @param weights in buffers of its own, on all of its devices
 * @param mappedWeights in the mapped model file, shared with other processes
 * @param kv KV pool and recurrent state rows
 * @param compute compute buffers, likewise
 * @param hostPages pages of K and V rows in host memory, outside the device
 */
public record ShardMemory(long weights, long mappedWeights, long kv, long compute, long hostPages) {
    /** Creates the memory of a shard with all rows on the device. */
    public ShardMemory(long weights, long mappedWeights, long kv, long compute) {
        this(weights, mappedWeights, kv, compute, 0);
    }

    /** Returns the share of one shard if several shards use the same weights. */
    public ShardMemory withWeightsOf(int users) {
        return new ShardMemory(weights / users, mappedWeights / users, kv, compute, hostPages);
    }

    /** Bytes of all weights, in own buffers and mapped. */
    public long allWeights() {
        return weights + mappedWeights;
    }

    /** All bytes without host pages. */
    public long total() {
        return weights + mappedWeights + kv + compute;
    }
}
