package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

import java.util.List;

/**
 * Place at which the graph of a chunk stops, so that the host can select the keys for its queries,
 * with the tensors that the host reads and writes there.
 *
 * @param keys of the chunk as they are cached, {@code F32 [keyLength, kvHeads, tokens]}
 * @param means the mean key of each block, {@code F32 [keyLength, blocks, kvHeads]}
 * @param products of these with the queries, {@code F32 [blocks, tokens, heads]}
 * @param mask for some heads of the queries, {@code F16 [slots, tokens, heads]}
 * @param scale factor for products of queries and keys
 */
record SparseGraphBreak(
        Tensor keys, Tensor means, Tensor products, Tensor mask, SegmentEnds ends, float scale) {
    /** Maximum number of tensors per query head: views, attention, and concatenation. */
    private static final int TENSORS_PER_HEAD = 5;

    private static final int TENSORS = 8;

    /**
     * Indexes at which parts of the graph end.
     *
     * @param keys end of the keys; then the host writes the means
     * @param products end of the products
     * @param heads ends of the attention, one mask after the other; before each the host writes its
     *     mask
     */
    record SegmentEnds(int keys, int products, List<Integer> heads) {
        SegmentEnds {
            heads = List.copyOf(heads);
        }

        /** End of all attention. */
        int last() {
            return heads.getLast();
        }
    }

    /** Maximum number of additional tensors for the attention of a layer. */
    static int tensors(int heads) {
        return TENSORS + heads * TENSORS_PER_HEAD;
    }
}
