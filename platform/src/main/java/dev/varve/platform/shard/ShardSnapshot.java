package dev.varve.platform.shard;

import java.util.List;

/**
 * The state of one sequence at one position, as far as one shard holds it. Fits any shard that
 * keeps the same layers with the same cache types, wherever the sequence's place is there.
 *
 * @param tokens positions that it covers
 * @param tensors in the order of the layers; names are unique
 */
public record ShardSnapshot(int tokens, List<SnapshotTensor> tensors) {
    /** Keeps a copy of the list. */
    public ShardSnapshot {
        tensors = List.copyOf(tensors);
    }

    /** Bytes of all tensors. */
    public long bytes() {
        return tensors.stream().mapToLong(tensor -> tensor.data().length).sum();
    }
}
