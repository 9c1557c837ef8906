package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.scoring.BlockPairScores;

import java.util.ArrayList;
import java.util.List;

/**
 * Attention of a chunk in one layer to some blocks of keys. ggml's attention on the CPU skips tiles
 * of 64 by 64 that a mask hides completely, so a mask for each head is sufficient. All masks
 * together would be large, so the heads are computed in groups, and the host writes the masks of a
 * group when the group before is done.
 */
final class BlockSparseAttention {
    /**
     * Heads with the same keys are computed together as long as their masks are not larger than
     * this.
     */
    private static final long MASK_BYTES = 64 << 20;

    private final Ops ops;
    private final Graph graph;
    private final GraphInputs inputs;
    private final LayerState.Attention state;
    private final int slots;

    /**
     * @param result of all heads, {@code F32 [valueLength, heads, tokens]}
     */
    record SparseAttentionResult(Tensor result, SparseGraphBreak steps) {}

    /**
     * @param slots that the chunk may attend to
     */
    BlockSparseAttention(
            Ops ops, Graph graph, GraphInputs inputs, LayerState.Attention state, int slots) {
        this.ops = ops;
        this.graph = graph;
        this.inputs = inputs;
        this.state = state;
        this.slots = slots;
    }

    /**
     * Records the attention; the graph already contains the queries and the stores of keys and
     * values.
     *
     * @param query {@code F32 [keyLength, heads, tokens]}
     * @param chunkKeys {@code F32 [keyLength, kvHeads, tokens]}
     * @param keys {@code [keyLength, slots, kvHeads]}
     * @param values {@code [valueLength, slots, kvHeads]}
     */
    SparseAttentionResult attend(
            Tensor query,
            Tensor chunkKeys,
            Tensor keys,
            Tensor values,
            AttentionBlock.Scores scores) {
        int keysEnd = graph.nodes();
        int heads = Math.toIntExact(query.ne(1));
        int group = heads / state.kvHeads();
        int together = together(group, query.ne(2));
        Tensor means =
                inputs.input(
                        "means",
                        GgmlType.F32,
                        state.keyLength(),
                        slots / BlockPairScores.BLOCK,
                        state.kvHeads());
        Tensor rows = ops.permute(query, 0, 2, 1, 3);
        Tensor products = ops.mulMat(means, rows).named("block_products").markOutput();
        graph.expand(products);
        int productsEnd = graph.nodes();
        Tensor mask = inputs.input("mask", GgmlType.F16, slots, query.ne(2), together);
        List<Integer> ends = new ArrayList<>();
        Tensor result = null;
        for (int head = 0; head < heads; head += together) {
            long first = (long) head * Float.BYTES;
            Tensor own =
                    AttentionBlock.flashAttention(
                            ops,
                            heads(rows, head, together),
                            heads(keys, head / group, 1),
                            heads(values, head / group, 1),
                            mask,
                            new AttentionBlock.Scores(
                                    scores.scale(),
                                    scores.sinks().map(all -> ops.view1d(all, together, first))));
            graph.expand(own);
            ends.add(graph.nodes());
            result = result == null ? own : ops.concat(result, own, 1);
        }
        SparseGraphBreak.SegmentEnds all =
                new SparseGraphBreak.SegmentEnds(keysEnd, productsEnd, ends);
        return new SparseAttentionResult(
                result,
                new SparseGraphBreak(
                        chunkKeys.markOutput(), means, products, mask, all, scores.scale()));
    }

    private int together(int group, long tokens) {
        return group * slots * tokens * Short.BYTES <= MASK_BYTES ? group : 1;
    }

    /** Views some heads of {@code [length, columns, heads]}. */
    private Tensor heads(Tensor all, int first, int count) {
        return ops.view(
                all,
                Extents.of(all.ne(0), all.ne(1), count),
                Strides.of(all.nb(1), all.nb(2)),
                first * all.nb(2));
    }
}
