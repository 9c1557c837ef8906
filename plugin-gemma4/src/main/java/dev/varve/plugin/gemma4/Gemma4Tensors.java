package dev.varve.plugin.gemma4;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.ShardGraph.Projection;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.ArrayList;
import java.util.List;

/** The tensors of a file: names, shapes and uses. All are checked when the model is opened. */
final class Gemma4Tensors {
    static final String ROPE_FACTORS = "rope_freqs.weight";

    private final GgufFile file;
    private final Gemma4Sizes sizes;

    Gemma4Tensors(GgufFile file, Gemma4Sizes sizes) {
        this.file = file;
        this.sizes = sizes;
        select(sizes.backbone().allLayers());
    }

    /** Name of the output head, without suffix. */
    String head() {
        return new WeightSelector(file).headName();
    }

    /** Returns whether a layer has a projection for values of its own. */
    boolean hasValues(int layer) {
        return has(layer, "attn_v.weight") || has(layer, "attn_qkv.weight");
    }

    /** Returns whether a layer has routed experts beside its feed-forward. */
    boolean isMixture(int layer) {
        return has(layer, "ffn_gate_inp.weight");
    }

    private boolean has(int layer, String name) {
        return file.tensor(block(layer, name)).isPresent();
    }

    /**
     * Query rows and, if the layer has rows of its own or a fused matrix that contains them anyway,
     * those of keys and values.
     */
    List<Projection> projections(int layer) {
        long length = sizes.headLength(layer);
        List<Projection> parts = new ArrayList<>();
        parts.add(
                new Projection(block(layer, "attn_q"), length * sizes.attention().heads()[layer]));
        if (sizes.ownsRows(layer) || has(layer, "attn_qkv.weight")) {
            long rows = length * sizes.attention().kvHeads()[layer];
            parts.add(new Projection(block(layer, "attn_k"), rows));
            if (hasValues(layer)) {
                parts.add(new Projection(block(layer, "attn_v"), rows));
            }
        }
        return parts;
    }

    /** Name of the matrix of all projections. */
    static String fused(int layer) {
        return block(layer, "attn_qkv");
    }

    static FeedForwardNames dense(int layer) {
        return FeedForwardNames.of(block(layer, "ffn"));
    }

    TensorSelection select(LayerRange range) {
        WeightSelector weights = new WeightSelector(file);
        int width = sizes.width();
        sizes.backbone().selectInput(weights, range);
        if (range.begin() == 0 && sizes.perLayerWidth() > 0) {
            perLayerInput(weights);
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            weights.vector(block(layer, "attn_norm.weight"), width);
            attention(weights, layer);
            weights.vector(block(layer, "post_attention_norm.weight"), width);
            weights.vector(block(layer, "ffn_norm.weight"), width);
            weights.feedForward(dense(layer), width, sizes.feedForward().widths()[layer]);
            weights.vector(block(layer, "post_ffw_norm.weight"), width);
            if (isMixture(layer)) {
                experts(weights, layer);
            }
            if (sizes.perLayerWidth() > 0) {
                weights.matrix(block(layer, "inp_gate"), width, sizes.perLayerWidth());
                weights.matrix(block(layer, "proj"), sizes.perLayerWidth(), width);
                weights.vector(block(layer, "post_norm.weight"), width);
            }
            weights.addIfPresent(
                    block(layer, "layer_output_scale.weight"), TensorUse.ELEMENTWISE, 1);
        }
        sizes.backbone().selectOutput(weights, range);
        return weights.build();
    }

    private void perLayerInput(WeightSelector weights) {
        long all = (long) sizes.perLayerWidth() * sizes.layers();
        weights.table(
                "per_layer_token_embd.weight", all, sizes.backbone().sizes().vocabularySize());
        weights.matrix("per_layer_model_proj", sizes.width(), all);
        weights.vector("per_layer_proj_norm.weight", sizes.perLayerWidth());
    }

    private void attention(WeightSelector weights, int layer) {
        int length = sizes.headLength(layer);
        weights.projections(sizes.width(), fused(layer), projections(layer));
        weights.matrix(
                block(layer, "attn_output"),
                (long) length * sizes.attention().heads()[layer],
                sizes.width());
        weights.vector(block(layer, "attn_q_norm.weight"), length);
        if (sizes.ownsRows(layer)) {
            weights.vector(block(layer, "attn_k_norm.weight"), length);
        }
        if (!sizes.isSliding(layer)) {
            weights.addIfPresent(
                    ROPE_FACTORS,
                    TensorUse.ELEMENTWISE,
                    sizes.attention().full().rope().dims() / 2);
        }
    }

    private void experts(WeightSelector weights, int layer) {
        Gemma4Sizes.Experts experts = sizes.feedForward().experts().orElseThrow();
        int width = sizes.width();
        // Its scale belongs to the router's input, unlike other scales of matrices.
        weights.add(block(layer, "ffn_gate_inp.weight"), TensorUse.MATMUL, width, experts.count());
        weights.vector(block(layer, "ffn_gate_inp.scale"), width);
        weights.vector(block(layer, "pre_ffw_norm_2.weight"), width);
        weights.vector(block(layer, "post_ffw_norm_1.weight"), width);
        weights.vector(block(layer, "post_ffw_norm_2.weight"), width);
        weights.experts(block(layer, "ffn"), width, experts.feedForward(), experts.count());
    }
}
