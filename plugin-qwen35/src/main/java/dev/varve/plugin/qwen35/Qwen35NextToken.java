package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.MtpBlock;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.WeightSelector;

/** The layer of the multi-token prediction block: one with full attention. */
final class Qwen35NextToken implements MtpBlock.Layer {
    private final GgufFile file;
    private final Qwen35Sizes sizes;
    private final Qwen35Layers layers;
    private final int layer;

    Qwen35NextToken(GgufFile file, Qwen35Sizes sizes) {
        this.file = file;
        this.sizes = sizes;
        layers = new Qwen35Layers(sizes);
        layer = sizes.backbone().layers();
    }

    @Override
    public LayerState state() {
        return sizes.attention().state();
    }

    @Override
    public void select(WeightSelector weights) {
        new Qwen35Tensors(file, sizes).select(weights, layer, innerWidth());
    }

    /** The keys hold the widths of the backbone's layers only. */
    private int innerWidth() {
        if (sizes.feedForward().experts().isPresent()) {
            return 0;
        }
        String gate = Qwen35Tensors.dense(layer).name("gate") + ".weight";
        long width = file.requireTensor(gate).ne(1);
        if (width > Integer.MAX_VALUE) {
            throw new ModelFormatException(
                    file.path(),
                    gate,
                    "at most " + Integer.MAX_VALUE + " rows",
                    Long.toString(width));
        }
        return (int) width;
    }

    @Override
    public Tensor record(ShardGraph graph, Tensor hidden) {
        String norm = block(layer, "attn_norm.weight");
        Tensor normed = graph.norm(hidden, norm, sizes.backbone().epsilon());
        Tensor attended = graph.outputColumns(layers.attention(graph, layer, normed));
        Tensor residual = graph.ops().add(attended, graph.outputColumns(hidden));
        return layers.feedForward(graph, layer, residual);
    }
}
