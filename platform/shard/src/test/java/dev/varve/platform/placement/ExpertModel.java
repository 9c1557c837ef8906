package dev.varve.platform.placement;

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
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A family with experts in all but the first layers: of each layer a projection, a norm, and three
 * matrices of eight experts, one of which has biases. All F32.
 */
public record ExpertModel(int layers, int dense) implements LayerSplitAdapter {
    /** Bytes of a matrix of experts. */
    public static final long EXPERT_BYTES = 64L * 32 * 8 * Float.BYTES;

    /** Bytes of the biases of a layer's experts. */
    public static final long BIAS_BYTES = 64L * 8 * Float.BYTES;

    @Override
    public ModelShape shape() {
        return new ModelShape(
                "experts",
                new ModelShape.Sizes(64, 100, 4096),
                Collections.nCopies(layers, new LayerState.FullAttention(1, 64, 64)),
                0);
    }

    @Override
    public List<LayerRange> align(List<LayerRange> ranges) {
        return ranges;
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        TensorSelection.Builder selection = new TensorSelection.Builder();
        for (int layer = range.begin(); layer < range.end(); layer++) {
            String block = "blk." + layer + ".";
            selection
                    .add(tensor(block + "attn_q.weight", 64, 64), TensorUse.MATMUL)
                    .add(tensor(block + "ffn_norm.weight", 64), TensorUse.ELEMENTWISE);
            if (layer >= dense) {
                for (String matrix : List.of("up", "gate", "down")) {
                    selection.add(
                            tensor(block + "ffn_" + matrix + "_exps.weight", 64, 32, 8),
                            TensorUse.EXPERT_MATMUL);
                }
                selection.add(tensor(block + "ffn_down_exps.bias", 64, 8), TensorUse.ELEMENTWISE);
            }
        }
        return selection.build();
    }

    private static GgufTensor tensor(String name, long... dimensions) {
        List<Long> all = Arrays.stream(dimensions).boxed().toList();
        long elements = all.stream().reduce(1L, (one, other) -> one * other);
        return new GgufTensor(
                name,
                GgmlType.F32,
                all,
                new GgufTensor.Place(Path.of("experts.gguf"), 0, elements * Float.BYTES));
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
