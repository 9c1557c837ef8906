package dev.varve.plugin.laguna;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertChoice;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.ToolSyntax;
import dev.varve.api.model.ToolSyntax.Tags;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code laguna} model: pre-norm layers of full or sliding attention behind a softplus gate, each
 * followed by a SwiGLU feed-forward or by routed experts beside one for all tokens.
 */
final class LagunaModel implements LayerSplitAdapter {
    /** {@code NAME} and then {@code <arg_key>KEY</arg_key><arg_value>VALUE</arg_value>}. */
    private static final ToolSyntax TOOL_CALLS =
            new ToolSyntax.Tagged(
                    new Tags("<tool_call>", "</tool_call>"),
                    new Tags("", "\n"),
                    new Tags("<arg_key>", "</arg_key>"),
                    new Tags("<arg_value>", "</arg_value>"),
                    "");

    private final LagunaSizes sizes;
    private final LagunaTensors tensors;

    LagunaModel(LagunaSizes sizes, LagunaTensors tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
    }

    @Override
    public ModelShape shape() {
        List<LayerState> layers = new ArrayList<>();
        LagunaSizes.Attention attention = sizes.attention();
        int length = attention.headLength();
        for (int layer = 0; layer < sizes.backbone().layers(); layer++) {
            int kvHeads = attention.kvHeads()[layer];
            layers.add(
                    sizes.isSliding(layer)
                            ? new LayerState.SlidingAttention(
                                    attention.window().tokens(), kvHeads, length, length)
                            : new LayerState.FullAttention(kvHeads, length, length));
        }
        return sizes.backbone().shape(layers);
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return tensors.select(range);
    }

    @Override
    public ChatDialect chatDialect() {
        return new ChatDialect(
                Optional.of(new ReasoningMarks("<think>", "", "</think>", "</think>\n")),
                Optional.of(TOOL_CALLS));
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Ops ops = graph.ops();
        Tensor hidden = sizes.backbone().input(graph, range);
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            Tensor normed =
                    graph.norm(
                            hidden, block(layer, "attn_norm.weight"), sizes.backbone().epsilon());
            Tensor attended = attention(graph, layer, normed);
            if (layer == sizes.backbone().layers() - 1) {
                // All operations after the last attention are per column, so only requested columns
                // continue.
                attended = graph.outputColumns(attended);
                hidden = graph.outputColumns(hidden);
            }
            Tensor residual = ops.add(graph.matmul(block(layer, "attn_output"), attended), hidden);
            Tensor input =
                    graph.norm(
                            residual, block(layer, "ffn_norm.weight"), sizes.backbone().epsilon());
            Tensor output =
                    sizes.isMixture(layer)
                            ? mixture(graph, layer, input, sizes.experts().orElseThrow())
                            : graph.gatedFeedForward(
                                    input, LagunaTensors.dense(layer), Activation.SILU);
            hidden = ops.add(output, residual);
        }
        sizes.backbone().output(graph, range, hidden, tensors.head());
    }

    /** Attention whose result is gated by a softplus of the layer's input. */
    private Tensor attention(ShardGraph graph, int layer, Tensor input) {
        Ops ops = graph.ops();
        int heads = sizes.attention().heads()[layer];
        int kvHeads = sizes.attention().kvHeads()[layer];
        long length = sizes.attention().headLength();
        List<Tensor> parts =
                graph.projections(input, block(layer, "attn_qkv"), tensors.projections(layer));
        Tensor gate = ops.softplus(graph.matmul(block(layer, "attn_gate"), input));
        Tensor query = rotate(graph, layer, "attn_q_norm", graph.heads(parts.get(0), heads));
        Tensor key = rotate(graph, layer, "attn_k_norm", graph.heads(parts.get(1), kvHeads));
        Tensor value = graph.heads(parts.get(2), kvHeads);
        float scale = 1 / (float) Math.sqrt(length);
        Tensor attended = graph.attention(layer, query, key, value, scale);
        if (!tensors.isGatedPerHead(layer)) {
            return ops.mul(attended, gate);
        }
        long tokens = graph.tokens();
        Tensor gated =
                ops.mul(
                        ops.reshape3d(attended, length, heads, tokens),
                        ops.reshape3d(gate, 1, heads, tokens));
        return ops.reshape2d(gated, length * heads, tokens);
    }

    private Tensor rotate(ShardGraph graph, int layer, String norm, Tensor heads) {
        Tensor normed =
                graph.norm(heads, block(layer, norm + ".weight"), sizes.backbone().epsilon());
        return graph.ops().ropeExt(normed, graph.positions(), Optional.empty(), sizes.rope(layer));
    }

    /** Routed experts beside one that every token uses. */
    private Tensor mixture(ShardGraph graph, int layer, Tensor input, LagunaSizes.Experts experts) {
        Ops ops = graph.ops();
        Tensor scores = graph.matmul(block(layer, "ffn_gate_inp"), input);
        ExpertChoice choice =
                graph.chooseExperts(
                        switch (experts.router().gating()) {
                            case SOFTMAX -> ops.softMax(scores);
                            case SIGMOID -> ops.sigmoid(scores);
                        },
                        graph.optionalWeight(
                                block(layer, "exp_probs_b.bias"), TensorUse.ELEMENTWISE),
                        experts.router().routing());
        Tensor routed =
                graph.expertFeedForward(input, choice, block(layer, "ffn"), Activation.SILU);
        Tensor shared = graph.gatedFeedForward(input, LagunaTensors.shared(layer), Activation.SILU);
        return ops.add(routed, shared);
    }
}
