package dev.varve.plugin.qwen3;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.WeightSelector;

/** The tensors of a file: names, shapes and uses. Checked where they are selected. */
final class Qwen3Tensors {
    private final GgufFile file;
    private final Qwen3Sizes sizes;

    Qwen3Tensors(GgufFile file, Qwen3Sizes sizes) {
        this.file = file;
        this.sizes = sizes;
    }

    /** Name of the output head, without suffix. */
    String head() {
        return new WeightSelector(file).headName();
    }

    static FeedForwardNames feedForward(int layer) {
        return FeedForwardNames.of(block(layer, "ffn"));
    }

    TensorSelection select(LayerRange range) {
        WeightSelector weights = new WeightSelector(file);
        sizes.backbone().selectInput(weights, range);
        for (int layer = range.begin(); layer < range.end(); layer++) {
            layer(weights, layer);
        }
        sizes.backbone().selectOutput(weights, range);
        return weights.build();
    }

    private void layer(WeightSelector weights, int layer) {
        int width = sizes.backbone().width();
        int length = sizes.heads().length();
        weights.vector(block(layer, "attn_norm.weight"), width);
        weights.projections(width, block(layer, "attn_qkv"), sizes.projections(layer));
        weights.vector(block(layer, "attn_q_norm.weight"), length);
        weights.vector(block(layer, "attn_k_norm.weight"), length);
        weights.matrix(block(layer, "attn_output"), sizes.heads().queryRows(), width);
        weights.vector(block(layer, "ffn_norm.weight"), width);
        weights.feedForward(feedForward(layer), width, sizes.feedForward());
    }
}
