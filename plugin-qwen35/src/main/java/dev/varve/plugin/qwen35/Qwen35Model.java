package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
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
import dev.varve.api.model.ToolSyntax.Tags;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code qwen35} or {@code qwen35moe} model: pre-norm layers of which most are gated delta nets
 * and every few are full attention with an output gate, each followed by a SwiGLU feed-forward or
 * by a mixture of such experts beside a gated one for all tokens.
 *
 * @see <a href="https://arxiv.org/abs/2412.06464">Gated Delta Networks</a>
 */
final class Qwen35Model implements LayerSplitAdapter {
    private static final long FLOAT = Float.BYTES;

    /** {@code <function=NAME><parameter=KEY>VALUE</parameter></function>}. */
    private static final ToolSyntax TOOL_CALLS =
            new ToolSyntax.Tagged(
                    new Tags("<tool_call>", "</tool_call>"),
                    new Tags("<function=", ">"),
                    new Tags("<parameter=", ">"),
                    new Tags("", "</parameter>"),
                    "</function>");

    private final Qwen35Sizes sizes;
    private final Qwen35Tensors tensors;
    private final Qwen35Layers layers;

    Qwen35Model(Qwen35Sizes sizes, Qwen35Tensors tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
        layers = new Qwen35Layers(sizes);
    }

    @Override
    public ModelShape shape() {
        List<LayerState> states = new ArrayList<>();
        Qwen35Sizes.DeltaNet net = sizes.deltaNet();
        for (boolean recurrent : sizes.recurrent()) {
            states.add(
                    recurrent
                            ? new LayerState.Recurrent(
                                    net.convKernel(),
                                    net.convChannels(),
                                    net.stateSize(),
                                    net.valueHeads())
                            : sizes.attention().state());
        }
        return sizes.backbone().shape(states);
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return tensors.select(range);
    }

    @Override
    public ChatDialect chatDialect() {
        if (sizes.backbone().architecture().equals(Qwen35Sizes.QWEN3_NEXT)) {
            return ChatDialect.byTemplate();
        }
        return new ChatDialect(Optional.of(ReasoningMarks.think()), Optional.of(TOOL_CALLS));
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Ops ops = graph.ops();
        Tensor hidden = sizes.backbone().input(graph, range);
        if (range.begin() == 0) {
            hidden = graph.withImages(hidden);
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            Tensor normed =
                    graph.norm(
                            hidden, block(layer, "attn_norm.weight"), sizes.backbone().epsilon());
            Tensor mixed =
                    sizes.recurrent()[layer]
                            ? deltaNet(graph, layer, normed)
                            : layers.attention(graph, layer, normed);
            if (layer == sizes.backbone().layers() - 1) {
                // All operations after the last mixer are per column, so only requested columns
                // continue.
                mixed = graph.outputColumns(mixed);
                hidden = graph.outputColumns(hidden);
            }
            hidden = layers.feedForward(graph, layer, ops.add(mixed, hidden));
        }
        sizes.backbone().output(graph, range, hidden, tensors.head());
    }

    /** Gated delta net: short convolution, normalised queries and keys, delta rule, gated norm. */
    private Tensor deltaNet(ShardGraph graph, int layer, Tensor input) {
        Ops ops = graph.ops();
        Qwen35Sizes.DeltaNet net = sizes.deltaNet();
        long state = net.stateSize();
        long tokens = graph.tokens();
        NetInputs inputs = NetInputs.of(graph, net, layer, input);
        Tensor beta = ops.sigmoid(inputs.beta());
        Tensor step =
                ops.softplus(
                        ops.add(
                                inputs.alpha(),
                                graph.weight(block(layer, "ssm_dt.bias"), TensorUse.ELEMENTWISE)));
        Tensor decay = ops.mul(step, graph.weight(block(layer, "ssm_a"), TensorUse.ELEMENTWISE));

        Tensor kernel = graph.weight(block(layer, "ssm_conv1d.weight"), TensorUse.CONVOLUTION);
        Tensor mixed = ops.silu(graph.causalConvolution(layer, inputs.columns(), kernel));
        long stride = mixed.nb(1);
        // Queries and keys are adjacent and are normalised together.
        Tensor both =
                unit(
                        ops,
                        ops.view(
                                mixed,
                                Extents.of(state, 2L * net.keyHeads(), tokens),
                                Strides.of(state * FLOAT, stride),
                                0));
        Tensor query =
                ops.view(
                        both,
                        Extents.of(state, net.keyHeads(), tokens),
                        Strides.of(both.nb(1), both.nb(2)),
                        0);
        Tensor key =
                ops.view(
                        both,
                        Extents.of(state, net.keyHeads(), tokens),
                        Strides.of(both.nb(1), both.nb(2)),
                        net.keyLength() * FLOAT);
        Tensor value =
                ops.view(
                        mixed,
                        Extents.of(state, net.valueHeads(), tokens),
                        Strides.of(state * FLOAT, stride),
                        2 * net.keyLength() * FLOAT);

        if (net.form().isGrouped()) {
            query = perValueHead(ops, query);
            key = perValueHead(ops, key);
        }
        Tensor output = graph.gatedDelta(layer, new DeltaInputs(query, key, value, decay, beta));
        Tensor normed =
                graph.norm(output, block(layer, "ssm_norm.weight"), sizes.backbone().epsilon());
        Tensor gated =
                ops.swigluSplit(
                        ops.reshape3d(inputs.gate(), state, net.valueHeads(), tokens), normed);
        return graph.matmul(
                block(layer, "ssm_out"), ops.reshape2d(gated, net.valueLength(), tokens));
    }

    /** Repeats each head for the consecutive value heads that use it. */
    private Tensor perValueHead(Ops ops, Tensor heads) {
        Qwen35Sizes.DeltaNet net = sizes.deltaNet();
        Tensor apart =
                ops.view(
                        heads,
                        Extents.of(heads.ne(0), 1, heads.ne(1), heads.ne(2)),
                        Strides.of(heads.nb(1), heads.nb(1), heads.nb(2)),
                        0);
        Tensor repeated =
                ops.repeat4d(apart, heads.ne(0), net.group(), net.keyHeads(), heads.ne(2));
        return ops.reshape3d(repeated, heads.ne(0), net.valueHeads(), heads.ne(2));
    }

    /** {@code x / sqrt(sum x^2 + epsilon)} per head, computed with the root-mean-square norm. */
    private Tensor unit(Ops ops, Tensor heads) {
        float length = sizes.deltaNet().stateSize();
        return ops.scale(
                ops.rmsNorm(heads, sizes.backbone().epsilon() / length),
                1 / (float) Math.sqrt(length));
    }
}
