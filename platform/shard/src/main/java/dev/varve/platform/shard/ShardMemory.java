package dev.varve.platform.shard;

/**
 * Bytes that a shard holds.
 *
 * @param weights in buffers of its own
 * @param mappedWeights in the mapped model file, shared with other processes
 * @param kv KV pool and recurrent state rows
 * @param compute compute buffers
 * @param hostPages pages of K and V rows in host memory, beside the device
 */
public record ShardMemory(long weights, long mappedWeights, long kv, long compute, long hostPages) {
    /** A shard all of whose rows are on the device. */
    public ShardMemory(long weights, long mappedWeights, long kv, long compute) {
        this(weights, mappedWeights, kv, compute, 0);
    }

    /** The part of a shard that has its weights in common with others. */
    public ShardMemory withWeightsOf(int users) {
        return new ShardMemory(weights / users, mappedWeights / users, kv, compute, hostPages);
    }

    /** Weights, wherever they are. */
    public long allWeights() {
        return weights + mappedWeights;
    }

    /** All of it on the device. */
    public long total() {
        return weights + mappedWeights + kv + compute;
    }
}
