package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

/** The tensors of a file: names, shapes and uses. Checked where they are selected. */
final class Qwen35Tensors {
    private final GgufFile file;
    private final Qwen35Sizes sizes;

    Qwen35Tensors(GgufFile file, Qwen35Sizes sizes) {
        this.file = file;
        this.sizes = sizes;
    }

    /** Name of the output head, without suffix. */
    String head() {
        return new WeightSelector(file).headName();
    }

    /** Names of the dense feed-forward. */
    static FeedForwardNames dense(int layer) {
        return FeedForwardNames.of(block(layer, "ffn"));
    }

    /** Names of the expert that every token uses. */
    static FeedForwardNames shared(int layer) {
        return new FeedForwardNames(block(layer, "ffn"), "_shexp");
    }

    TensorSelection select(LayerRange range) {
        WeightSelector weights = new WeightSelector(file);
        int width = sizes.backbone().width();
        sizes.backbone().selectInput(weights, range);
        for (int layer = range.begin(); layer < range.end(); layer++) {
            weights.vector(block(layer, "attn_norm.weight"), width);
            if (sizes.recurrent()[layer]) {
                deltaNet(weights, layer);
            } else {
                attention(weights, layer);
            }
            int inner = sizes.feedForward().widths()[layer];
            feedForward(weights, layer, inner);
        }
        sizes.backbone().selectOutput(weights, range);
        return weights.build();
    }

    /**
     * Adds a layer with full attention, which may come after the backbone.
     *
     * @param inner width of its feed-forward; unused if there are experts
     */
    void select(WeightSelector weights, int layer, int inner) {
        weights.vector(block(layer, "attn_norm.weight"), sizes.backbone().width());
        attention(weights, layer);
        feedForward(weights, layer, inner);
    }

    private void attention(WeightSelector weights, int layer) {
        Qwen35Sizes.Heads heads = sizes.attention().heads();
        int width = sizes.backbone().width();
        int length = heads.length();
        weights.projections(width, block(layer, "attn_qkv"), sizes.projections(layer));
        weights.matrix(block(layer, "attn_output"), (long) length * heads.query(), width);
        weights.vector(block(layer, "attn_q_norm.weight"), length);
        weights.vector(block(layer, "attn_k_norm.weight"), length);
    }

    private void deltaNet(WeightSelector weights, int layer) {
        Qwen35Sizes.DeltaNet net = sizes.deltaNet();
        int width = sizes.backbone().width();
        if (net.form() == Qwen35Sizes.NetForm.JOINED) {
            weights.matrix(block(layer, "ssm_in"), width, net.convChannels() + net.valueLength());
        } else {
            weights.matrix(block(layer, "attn_qkv"), width, net.convChannels());
            weights.matrix(block(layer, "attn_gate"), width, net.valueLength());
        }
        weights.add(
                block(layer, "ssm_conv1d.weight"),
                TensorUse.CONVOLUTION,
                net.convKernel(),
                net.convChannels());
        weights.vector(block(layer, "ssm_dt.bias"), net.valueHeads());
        weights.vector(block(layer, "ssm_a"), net.valueHeads());
        if (net.form().isGrouped()) {
            weights.matrix(block(layer, "ssm_ba"), width, 2L * net.valueHeads());
        } else {
            weights.matrix(block(layer, "ssm_alpha"), width, net.valueHeads());
            weights.matrix(block(layer, "ssm_beta"), width, net.valueHeads());
        }
        weights.vector(block(layer, "ssm_norm.weight"), net.stateSize());
        weights.matrix(block(layer, "ssm_out"), net.valueLength(), width);
    }

    private void feedForward(WeightSelector weights, int layer, int inner) {
        int width = sizes.backbone().width();
        weights.vector(block(layer, "post_attention_norm.weight"), width);
        Qwen35Sizes.FeedForward feedForward = sizes.feedForward();
        if (feedForward.experts().isEmpty()) {
            weights.feedForward(dense(layer), width, inner);
            return;
        }
        Qwen35Sizes.Experts experts = feedForward.experts().get();
        weights.matrix(block(layer, "ffn_gate_inp"), width, experts.count());
        weights.experts(block(layer, "ffn"), width, experts.feedForward(), experts.count());
        weights.matrix(block(layer, "ffn_gate_inp_shexp"), width, 1);
        weights.feedForward(shared(layer), width, experts.shared());
    }
}
