package dev.varve.platform.plan;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A family whose layers have a projection and a matrix of 128 experts, all F32, with a table before
 * the first layer and a head behind the last one.
 *
 * @param rows rows of an expert in each layer; 0 in layers without experts
 * @param projections rows of the projection in each layer
 */
record UnevenExpertModel(List<Integer> rows, List<Integer> projections)
        implements LayerSplitAdapter {
    static final int EXPERTS = 128;
    private static final int WIDTH = 64;
    private static final int VOCABULARY = 200;

    /** Creates a model with equal projections. */
    UnevenExpertModel(List<Integer> rows) {
        this(rows, Collections.nCopies(rows.size(), 2 * WIDTH));
    }

    /** Returns the bytes of one expert. */
    long expertBytes(int layer) {
        return (long) WIDTH * rows.get(layer) * Float.BYTES;
    }

    /** Returns the bytes of the other weights of a layer. */
    long denseBytes(int layer) {
        return (long) WIDTH * projections.get(layer) * Float.BYTES;
    }

    @Override
    public ModelShape shape() {
        return new ModelShape(
                "uneven",
                new ModelShape.Sizes(WIDTH, VOCABULARY, 4096),
                Collections.nCopies(rows.size(), new LayerState.FullAttention(1, 32, 32)),
                0);
    }

    @Override
    public List<LayerRange> align(List<LayerRange> ranges) {
        return ranges;
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        TensorSelection.Builder selection = new TensorSelection.Builder();
        if (range.begin() == 0) {
            selection.add(tensor("token_embd.weight", WIDTH, VOCABULARY), TensorUse.ROW_LOOKUP);
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            selection.add(
                    tensor("blk." + layer + ".attn_q.weight", WIDTH, projections.get(layer)),
                    TensorUse.MATMUL);
            if (rows.get(layer) > 0) {
                selection.add(
                        tensor(
                                "blk." + layer + ".ffn_up_exps.weight",
                                WIDTH,
                                rows.get(layer),
                                EXPERTS),
                        TensorUse.EXPERT_MATMUL);
            }
        }
        if (range.end() == rows.size()) {
            selection.add(tensor("output.weight", WIDTH, VOCABULARY), TensorUse.MATMUL);
        }
        return selection.build();
    }

    private static GgufTensor tensor(String name, long... dimensions) {
        long elements = LongStream.of(dimensions).reduce(1, (one, other) -> one * other);
        return new GgufTensor(
                name,
                GgmlType.F32,
                LongStream.of(dimensions).boxed().toList(),
                new GgufTensor.Place(Path.of("uneven.gguf"), 0, elements * Float.BYTES));
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        throw new UnsupportedOperationException("loads nothing");
    }

    @Override
    public ChatDialect chatDialect() {
        throw new UnsupportedOperationException("does not chat");
    }
}
