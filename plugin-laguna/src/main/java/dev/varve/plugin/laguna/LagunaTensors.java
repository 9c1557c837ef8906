package dev.varve.plugin.laguna;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.ShardGraph.Projection;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.List;

/** The tensors of a file: names, shapes and uses. All are checked when the model is opened. */
final class LagunaTensors {
    private final GgufFile file;
    private final LagunaSizes sizes;

    LagunaTensors(GgufFile file, LagunaSizes sizes) {
        this.file = file;
        this.sizes = sizes;
        select(sizes.backbone().allLayers());
    }

    /** Name of the output head, without suffix. */
    String head() {
        return new WeightSelector(file).headName();
    }

    /** Query, key and value rows. */
    List<Projection> projections(int layer) {
        LagunaSizes.Attention attention = sizes.attention();
        long length = attention.headLength();
        return Projection.attention(
                layer, length * attention.heads()[layer], length * attention.kvHeads()[layer]);
    }

    /** Returns whether a layer's gate has a row per head (else one per element). */
    boolean isGatedPerHead(int layer) {
        return gateRows(layer) == sizes.attention().heads()[layer];
    }

    private long gateRows(int layer) {
        GgufTensor gate = file.requireTensor(block(layer, "attn_gate.weight"));
        long perHead = sizes.attention().heads()[layer];
        long perElement = perHead * sizes.attention().headLength();
        if (gate.ne(1) != perHead && gate.ne(1) != perElement) {
            throw new ModelFormatException(
                    gate.file(),
                    gate.name(),
                    "a row per head (" + perHead + ") or per element (" + perElement + ")",
                    gate.describe());
        }
        return gate.ne(1);
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
            attention(weights, layer);
            weights.vector(block(layer, "ffn_norm.weight"), width);
            if (sizes.isMixture(layer)) {
                experts(weights, layer);
            } else {
                weights.feedForward(dense(layer), width, sizes.dense().feedForward());
            }
        }
        sizes.backbone().selectOutput(weights, range);
        return weights.build();
    }

    private void attention(WeightSelector weights, int layer) {
        int width = sizes.backbone().width();
        int length = sizes.attention().headLength();
        weights.vector(block(layer, "attn_norm.weight"), width);
        weights.projections(width, block(layer, "attn_qkv"), projections(layer));
        weights.matrix(block(layer, "attn_gate"), width, gateRows(layer));
        weights.matrix(
                block(layer, "attn_output"),
                (long) length * sizes.attention().heads()[layer],
                width);
        weights.vector(block(layer, "attn_q_norm.weight"), length);
        weights.vector(block(layer, "attn_k_norm.weight"), length);
    }

    private void experts(WeightSelector weights, int layer) {
        LagunaSizes.Experts experts = sizes.experts().orElseThrow();
        int width = sizes.backbone().width();
        int inner = experts.feedForward()[layer];
        weights.matrix(block(layer, "ffn_gate_inp"), width, experts.count());
        weights.addIfPresent(
                block(layer, "exp_probs_b.bias"), TensorUse.ELEMENTWISE, experts.count());
        weights.experts(block(layer, "ffn"), width, inner, experts.count());
        weights.feedForward(shared(layer), width, experts.shared());
    }
}
