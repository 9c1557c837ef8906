package dev.varve.plugin.qwen35;

import static dev.varve.plugin.qwen35.Qwen35Tensors.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Ops.RopeOptions;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.ToolSyntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code qwen35} model: pre-norm layers of which most are gated delta nets and every few are full
 * attention with an output gate, each followed by a SwiGLU feed-forward.
 *
 * @see <a href="https://arxiv.org/abs/2412.06464">Gated Delta Networks</a>
 */
final class Qwen35Model implements LayerSplitAdapter {
    private static final long FLOAT = Float.BYTES;

    /** {@code <function=NAME><parameter=KEY>VALUE</parameter></function>}. */
    private static final ToolSyntax TOOL_CALLS =
            new ToolSyntax.Tagged(
                    "<tool_call>",
                    "</tool_call>",
                    "<function=",
                    ">",
                    "<parameter=",
                    ">",
                    "",
                    "</parameter>",
                    "</function>");

    private final Qwen35Sizes sizes;
    private final Qwen35Tensors tensors;

    Qwen35Model(Qwen35Sizes sizes, Qwen35Tensors tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
    }

    @Override
    public ModelShape shape() {
        List<LayerState> layers = new ArrayList<>();
        for (boolean recurrent : sizes.recurrent()) {
            layers.add(
                    recurrent
                            ? new LayerState.Recurrent(
                                    sizes.convKernel(),
                                    sizes.convChannels(),
                                    sizes.stateSize(),
                                    sizes.valueHeads())
                            : new LayerState.FullAttention(
                                    sizes.kvHeads(), sizes.headLength(), sizes.headLength()));
        }
        return new ModelShape(
                "qwen35",
                sizes.width(),
                sizes.vocabulary(),
                sizes.context(),
                layers,
                sizes.skippedBlocks());
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
        Tensor hidden = range.begin() == 0 ? graph.embed("token_embd.weight") : graph.boundary();
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            Tensor normed = graph.norm(hidden, block(layer, "attn_norm.weight"), sizes.epsilon());
            Tensor mixed =
                    sizes.recurrent()[layer]
                            ? deltaNet(graph, layer, normed)
                            : attention(graph, layer, normed);
            if (layer == sizes.layers() - 1) {
                // Everything behind the last mixer works per column, so only wanted columns go on.
                mixed = graph.outputColumns(mixed);
                hidden = graph.outputColumns(hidden);
            }
            Tensor residual = ops.add(mixed, hidden);
            Tensor input =
                    graph.norm(
                            residual, block(layer, "post_attention_norm.weight"), sizes.epsilon());
            Tensor output =
                    graph.gatedFeedForward(
                            input,
                            block(layer, "ffn_gate"),
                            block(layer, "ffn_up"),
                            block(layer, "ffn_down"));
            hidden = ops.add(output, residual);
        }
        if (range.end() < sizes.layers()) {
            graph.boundaryOutput(hidden);
            return;
        }
        Tensor normed = graph.norm(hidden, "output_norm.weight", sizes.epsilon());
        graph.logits(graph.matmul(tensors.head(), normed));
    }

    /**
     * Full attention: per-head norms, rotary embedding of the first dimensions, and a gate on the
     * result.
     */
    private Tensor attention(ShardGraph graph, int layer, Tensor input) {
        Ops ops = graph.ops();
        long length = sizes.headLength();
        long heads = sizes.heads();
        long kvHeads = sizes.kvHeads();
        long tokens = graph.tokens();
        Tensor queryAndGate;
        Tensor key;
        Tensor value;
        if (tensors.isFused(layer)) {
            Tensor all = graph.matmul(block(layer, "attn_qkv"), input);
            long stride = all.nb(1);
            long keyOffset = 2 * length * heads * FLOAT;
            queryAndGate = all;
            key = ops.view3d(all, length, kvHeads, tokens, length * FLOAT, stride, keyOffset);
            value =
                    ops.cont(
                            ops.view3d(
                                    all,
                                    length,
                                    kvHeads,
                                    tokens,
                                    length * FLOAT,
                                    stride,
                                    keyOffset + length * kvHeads * FLOAT));
        } else {
            queryAndGate = graph.matmul(block(layer, "attn_q"), input);
            key =
                    ops.reshape3d(
                            graph.matmul(block(layer, "attn_k"), input), length, kvHeads, tokens);
            value =
                    ops.reshape3d(
                            graph.matmul(block(layer, "attn_v"), input), length, kvHeads, tokens);
        }
        // Each head has its query rows and then its gate rows.
        long headStride = 2 * length * FLOAT;
        long columnStride = queryAndGate.nb(1);
        Tensor query = ops.view3d(queryAndGate, length, heads, tokens, headStride, columnStride, 0);
        Tensor gate =
                ops.cont2d(
                        ops.view3d(
                                queryAndGate,
                                length,
                                heads,
                                tokens,
                                headStride,
                                columnStride,
                                length * FLOAT),
                        length * heads,
                        tokens);
        query =
                rotate(
                        graph,
                        graph.norm(query, block(layer, "attn_q_norm.weight"), sizes.epsilon()));
        key = rotate(graph, graph.norm(key, block(layer, "attn_k_norm.weight"), sizes.epsilon()));
        Tensor attended = graph.attention(layer, query, key, value, sizes.attentionScale());
        return graph.matmul(block(layer, "attn_output"), ops.mul(attended, ops.sigmoid(gate)));
    }

    private Tensor rotate(ShardGraph graph, Tensor heads) {
        Qwen35Sizes.RopeScaling rope = sizes.rope();
        RopeOptions options =
                new RopeOptions(
                        sizes.ropeDimensions(),
                        RopeOptions.INTERLEAVED_MULTI_AXIS,
                        rope.originalContext(),
                        rope.base(),
                        rope.scale(),
                        rope.extrapolation(),
                        1,
                        32,
                        1);
        return graph.ops().ropeMulti(heads, graph.axisPositions(), sizes.ropeSections(), options);
    }

    /** Gated delta net: short convolution, normalised queries and keys, delta rule, gated norm. */
    private Tensor deltaNet(ShardGraph graph, int layer, Tensor input) {
        Ops ops = graph.ops();
        long state = sizes.stateSize();
        long tokens = graph.tokens();
        Tensor projected = graph.matmul(block(layer, "attn_qkv"), input);
        Tensor gate = graph.matmul(block(layer, "attn_gate"), input);
        Tensor beta = ops.sigmoid(graph.matmul(block(layer, "ssm_beta"), input));
        Tensor step =
                ops.softplus(
                        ops.add(
                                graph.matmul(block(layer, "ssm_alpha"), input),
                                graph.weight(block(layer, "ssm_dt.bias"), TensorUse.ELEMENTWISE)));
        Tensor decay = ops.mul(step, graph.weight(block(layer, "ssm_a"), TensorUse.ELEMENTWISE));

        Tensor kernel = graph.weight(block(layer, "ssm_conv1d.weight"), TensorUse.CONVOLUTION);
        Tensor mixed = ops.silu(graph.causalConvolution(layer, projected, kernel));
        long stride = mixed.nb(1);
        // Queries and keys lie side by side and are normalised together.
        Tensor both =
                unit(
                        ops,
                        ops.view3d(
                                mixed,
                                state,
                                2L * sizes.keyHeads(),
                                tokens,
                                state * FLOAT,
                                stride,
                                0));
        Tensor query = ops.view3d(both, state, sizes.keyHeads(), tokens, both.nb(1), both.nb(2), 0);
        Tensor key =
                ops.view3d(
                        both,
                        state,
                        sizes.keyHeads(),
                        tokens,
                        both.nb(1),
                        both.nb(2),
                        sizes.keyLength() * FLOAT);
        Tensor value =
                ops.view3d(
                        mixed,
                        state,
                        sizes.valueHeads(),
                        tokens,
                        state * FLOAT,
                        stride,
                        2 * sizes.keyLength() * FLOAT);

        Tensor output = graph.gatedDelta(layer, query, key, value, decay, beta);
        Tensor normed = graph.norm(output, block(layer, "ssm_norm.weight"), sizes.epsilon());
        Tensor gated =
                ops.swigluSplit(ops.reshape3d(gate, state, sizes.valueHeads(), tokens), normed);
        return graph.matmul(
                block(layer, "ssm_out"), ops.reshape2d(gated, sizes.valueLength(), tokens));
    }

    /** {@code x / sqrt(sum x^2 + epsilon)} per head, by way of the root-mean-square norm. */
    private Tensor unit(Ops ops, Tensor heads) {
        float length = sizes.stateSize();
        return ops.scale(
                ops.rmsNorm(heads, sizes.epsilon() / length), 1 / (float) Math.sqrt(length));
    }
}
