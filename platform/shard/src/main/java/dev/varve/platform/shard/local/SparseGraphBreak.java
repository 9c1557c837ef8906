package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

import java.util.List;

/**
 * Where the graph of a chunk stops, so that the host can choose which keys its queries look at, and
 * what it reads and writes then.
 *
 * @param keys of the chunk as they are cached, {@code F32 [keyLength, kvHeads, tokens]}
 * @param means the mean key of each block, {@code F32 [keyLength, blocks, kvHeads]}
 * @param products of these with the queries, {@code F32 [blocks, tokens, heads]}
 * @param mask for some heads of the queries, {@code F16 [slots, tokens, heads]}
 * @param scale what products of queries and keys are multiplied with
 */
record SparseGraphBreak(
        Tensor keys, Tensor means, Tensor products, Tensor mask, Ends ends, float scale) {
    /** Tensors that a head of the queries takes at most: views, attention, and what joins it. */
    private static final int TENSORS_PER_HEAD = 5;

    private static final int TENSORS = 8;

    /**
     * Operators of the graph until something is known.
     *
     * @param keys the keys; then the means are written
     * @param products the products
     * @param heads of one mask after the other, the attention; before each its mask is written
     */
    record Ends(int keys, int products, List<Integer> heads) {
        Ends {
            heads = List.copyOf(heads);
        }

        /** Until all attention is known. */
        int last() {
            return heads.getLast();
        }
    }

    /** Most tensors that the attention of a layer takes more for them. */
    static int tensors(int heads) {
        return TENSORS + heads * TENSORS_PER_HEAD;
    }
}
