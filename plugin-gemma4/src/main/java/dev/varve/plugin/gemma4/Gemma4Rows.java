package dev.varve.plugin.gemma4;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorUse;

import java.util.Optional;

/**
 * Keys and values that a layer keeps of each token for attention: both are normalised, values
 * without weight, and keys are rotated.
 *
 * @param sizes of the model
 * @param prefix prefix of the names of the model's weights
 */
record Gemma4Rows(Gemma4Sizes sizes, String prefix) {
    /**
     * Rows of T tokens.
     *
     * @param keys {@code F32 [length, kvHeads, T]}
     * @param values likewise
     */
    record Made(Tensor keys, Tensor values) {}

    /**
     * Computes rows.
     *
     * @param keys projection of the layer's normalised input
     * @param values likewise; that of the keys if the layer has no projection for values
     */
    Made make(ShardGraph graph, int layer, Tensor keys, Tensor values) {
        Ops ops = graph.ops();
        int heads = sizes.attention().kvHeads()[layer];
        float epsilon = sizes.backbone().epsilon();
        Tensor value = ops.rmsNorm(graph.heads(values, heads), epsilon);
        String norm = prefix + block(layer, "attn_k_norm.weight");
        Tensor key = graph.norm(graph.heads(keys, heads), norm, epsilon);
        return new Made(rotate(graph, layer, key), value);
    }

    /** Rotates heads of a layer to their positions. */
    Tensor rotate(ShardGraph graph, int layer, Tensor heads) {
        Optional<Tensor> factors =
                sizes.isSliding(layer)
                        ? Optional.empty()
                        : graph.optionalWeight(
                                prefix + Gemma4Tensors.ROPE_FACTORS, TensorUse.ELEMENTWISE);
        return graph.ops().ropeExt(heads, graph.positions(), factors, sizes.rope(layer));
    }
}
