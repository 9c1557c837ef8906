package dev.varve.plugin.qwen3;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.ToolSyntax;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A {@code qwen3} model: pre-norm layers of full attention with a norm on each head of queries and
 * keys, each followed by a SwiGLU feed-forward.
 *
 * @see <a href="https://arxiv.org/abs/2505.09388">Qwen3 Technical Report, section 2</a>
 */
final class Qwen3Model implements LayerSplitAdapter {
    /** {@code {"name": NAME, "arguments": {...}}}. */
    private static final ToolSyntax TOOL_CALLS = new ToolSyntax.Json("<tool_call>", "</tool_call>");

    private final Qwen3Sizes sizes;
    private final Qwen3Tensors tensors;

    Qwen3Model(Qwen3Sizes sizes, Qwen3Tensors tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
    }

    @Override
    public ModelShape shape() {
        return sizes.backbone()
                .shape(Collections.nCopies(sizes.backbone().layers(), sizes.heads().state()));
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return tensors.select(range);
    }

    @Override
    public ChatDialect chatDialect() {
        return new ChatDialect(Optional.of(ReasoningMarks.think()), Optional.of(TOOL_CALLS));
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Ops ops = graph.ops();
        Tensor hidden = sizes.backbone().input(graph, range);
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            Tensor attended = attention(graph, layer, norm(graph, layer, "attn_norm", hidden));
            if (layer == sizes.backbone().layers() - 1) {
                // All operations after the last attention are per column, so only requested columns
                // continue.
                attended = graph.outputColumns(attended);
                hidden = graph.outputColumns(hidden);
            }
            Tensor residual = ops.add(graph.matmul(block(layer, "attn_output"), attended), hidden);
            Tensor output =
                    graph.gatedFeedForward(
                            norm(graph, layer, "ffn_norm", residual),
                            Qwen3Tensors.feedForward(layer),
                            Activation.SILU);
            hidden = ops.add(output, residual);
        }
        sizes.backbone().output(graph, range, hidden, tensors.head());
    }

    /** Results of the heads, side by side, before the output projection. */
    private Tensor attention(ShardGraph graph, int layer, Tensor input) {
        Qwen3Sizes.Heads heads = sizes.heads();
        List<Tensor> parts =
                graph.projections(input, block(layer, "attn_qkv"), sizes.projections(layer));
        Tensor query = graph.heads(parts.get(0), heads.query());
        Tensor key = graph.heads(parts.get(1), heads.keyValue());
        Tensor value = graph.heads(parts.get(2), heads.keyValue());
        query = norm(graph, layer, "attn_q_norm", query);
        key = norm(graph, layer, "attn_k_norm", key);
        graph.beforeRotation(layer, query, key);
        return graph.attention(
                layer, rotate(graph, query), rotate(graph, key), value, heads.scale());
    }

    private Tensor norm(ShardGraph graph, int layer, String name, Tensor input) {
        return graph.norm(input, block(layer, name + ".weight"), sizes.backbone().epsilon());
    }

    private Tensor rotate(ShardGraph graph, Tensor heads) {
        return graph.ops().ropeExt(heads, graph.positions(), Optional.empty(), sizes.rope());
    }
}
