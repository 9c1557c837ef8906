package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertChoice;
import dev.varve.api.model.ShardGraph.ExpertRouting;

import java.util.List;
import java.util.Optional;

/**
 * Attention and feed-forward, which layers of the backbone and the multi-token prediction block
 * share.
 */
final class Qwen35Layers {
    private static final long FLOAT = Float.BYTES;

    private final Qwen35Sizes sizes;

    Qwen35Layers(Qwen35Sizes sizes) {
        this.sizes = sizes;
    }

    /**
     * Full attention: per-head norms, rotary embedding of the first dimensions, and a gate on the
     * result.
     */
    Tensor attention(ShardGraph graph, int layer, Tensor input) {
        Ops ops = graph.ops();
        Qwen35Sizes.Heads counts = sizes.attention().heads();
        long length = counts.length();
        long heads = counts.query();
        long tokens = graph.tokens();
        List<Tensor> parts =
                graph.projections(input, block(layer, "attn_qkv"), sizes.projections(layer));
        // Each head has its query rows and then its gate rows.
        Tensor both = graph.heads(parts.get(0), counts.query());
        Tensor query =
                ops.view(
                        both,
                        Extents.of(length, heads, tokens),
                        Strides.of(both.nb(1), both.nb(2)),
                        0);
        Tensor gate =
                ops.cont2d(
                        ops.view(
                                both,
                                Extents.of(length, heads, tokens),
                                Strides.of(both.nb(1), both.nb(2)),
                                length * FLOAT),
                        length * heads,
                        tokens);
        Tensor key = graph.heads(parts.get(1), counts.keyValue());
        Tensor value = graph.heads(parts.get(2), counts.keyValue());
        float epsilon = sizes.backbone().epsilon();
        query = graph.norm(query, block(layer, "attn_q_norm.weight"), epsilon);
        key = graph.norm(key, block(layer, "attn_k_norm.weight"), epsilon);
        graph.beforeRotation(layer, query, key);
        Tensor attended =
                graph.attention(
                        layer,
                        rotate(graph, query),
                        rotate(graph, key),
                        value,
                        sizes.attention().scale());
        return graph.matmul(block(layer, "attn_output"), ops.mul(attended, ops.sigmoid(gate)));
    }

    private Tensor rotate(ShardGraph graph, Tensor heads) {
        Qwen35Sizes.Rotation rope = sizes.attention().rope();
        if (rope.sections().length == 0) {
            return graph.ops().ropeExt(heads, graph.positions(), Optional.empty(), rope.options());
        }
        return graph.ops().ropeMulti(heads, graph.axisPositions(), rope.sections(), rope.options());
    }

    /**
     * The second half of a layer: norm, feed-forward or experts, plus the residual.
     *
     * @param residual residual stream, {@code F32 [width, T]}
     */
    Tensor feedForward(ShardGraph graph, int layer, Tensor residual) {
        Tensor input =
                graph.norm(
                        residual,
                        block(layer, "post_attention_norm.weight"),
                        sizes.backbone().epsilon());
        Tensor output =
                sizes.feedForward().experts().isPresent()
                        ? mixture(graph, layer, input, sizes.feedForward().experts().get())
                        : graph.gatedFeedForward(
                                input, Qwen35Tensors.dense(layer), Activation.SILU);
        return graph.ops().add(output, residual);
    }

    /** Routed experts, and one for all tokens with a gate of its own. */
    private Tensor mixture(ShardGraph graph, int layer, Tensor input, Qwen35Sizes.Experts experts) {
        Ops ops = graph.ops();
        Tensor probabilities = ops.softMax(graph.matmul(block(layer, "ffn_gate_inp"), input));
        ExpertChoice choice =
                graph.chooseExperts(
                        probabilities,
                        Optional.empty(),
                        new ExpertRouting(experts.used(), true, 1));
        Tensor routed =
                graph.expertFeedForward(input, choice, block(layer, "ffn"), Activation.SILU);
        Tensor shared = graph.gatedFeedForward(input, Qwen35Tensors.shared(layer), Activation.SILU);
        Tensor gate = ops.sigmoid(graph.matmul(block(layer, "ffn_gate_inp_shexp"), input));
        return ops.add(routed, ops.mul(shared, gate));
    }
}
