package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.ScanInputs;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.StateStep;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.List;
import java.util.Map;

/**
 * A Mamba-2 layer: a causal convolution and a scan with one state per head.
 *
 * @param epsilon of the norm of each group
 * @see <a href="https://arxiv.org/abs/2405.21060">Mamba-2, section 7</a>
 */
record SelectiveScan(int layer, Lengths lengths, float epsilon) implements Mixer {
    private static final String CONVOLUTION_STATE = "convolution";
    private static final String SCAN_STATE = "scan";

    /**
     * Numbers of elements.
     *
     * @param kernel taps of the convolution
     * @param inner width of the scan, that of all heads
     * @param state elements of a state for each element of a head
     * @param groups groups of heads with the same input and output matrices
     */
    record Lengths(int kernel, int inner, int state, int groups, int heads) {
        int head() {
            return inner / heads;
        }

        /** Channels of the convolution: the heads, and two matrices of each group. */
        long channels() {
            return inner + 2L * groups * state;
        }
    }

    @Override
    public LayerState state() {
        return new LayerState.Custom(
                List.of(
                        new LayerState.Custom.Part(
                                CONVOLUTION_STATE,
                                List.of(lengths.kernel() - 1L, lengths.channels())),
                        new LayerState.Custom.Part(
                                SCAN_STATE,
                                List.of(
                                        (long) lengths.state(),
                                        (long) lengths.head(),
                                        (long) lengths.heads()))));
    }

    @Override
    public void select(WeightSelector weights, int width) {
        int heads = lengths.heads();
        weights.matrix(block(layer, "ssm_in"), width, lengths.inner() + lengths.channels() + heads);
        weights.add(
                block(layer, "ssm_conv1d.weight"),
                TensorUse.CONVOLUTION,
                lengths.kernel(),
                lengths.channels());
        weights.vector(block(layer, "ssm_conv1d.bias"), lengths.channels());
        weights.vector(block(layer, "ssm_dt.bias"), heads);
        weights.add(block(layer, "ssm_a"), TensorUse.ELEMENTWISE, 1, heads);
        weights.add(block(layer, "ssm_d"), TensorUse.ELEMENTWISE, 1, heads);
        weights.add(
                block(layer, "ssm_norm.weight"),
                TensorUse.ELEMENTWISE,
                lengths.inner() / lengths.groups(),
                lengths.groups());
        weights.matrix(block(layer, "ssm_out"), lengths.inner(), width);
    }

    @Override
    public Tensor mix(ShardGraph graph, Tensor input) {
        Ops ops = graph.ops();
        Tensor all = graph.matmul(block(layer, "ssm_in"), input);
        long tokens = all.ne(1);
        int inner = lengths.inner();
        Tensor gate = ops.cont(rows(ops, all, 0, inner));
        Tensor convolved = rows(ops, all, inner, lengths.channels());
        Tensor times = rows(ops, all, inner + lengths.channels(), lengths.heads());
        Weights weights = Weights.of(graph, layer);
        Tensor scanned =
                graph.advanceState(
                        layer, List.of(convolved, times), group -> step(ops, weights, group));
        Tensor gated =
                ops.reshape3d(
                        ops.swigluSplit(gate, scanned),
                        inner / lengths.groups(),
                        lengths.groups(),
                        tokens);
        Tensor normed = graph.norm(gated, block(layer, "ssm_norm.weight"), epsilon);
        return ops.reshape2d(normed, inner, tokens);
    }

    private static Tensor rows(Ops ops, Tensor all, long first, long count) {
        return ops.view2d(all, count, all.ne(1), all.nb(1), first * Float.BYTES);
    }

    /** Weights of the step. */
    private record Weights(Tensor kernel, Tensor bias, Tensor timeBias, Tensor decay, Tensor skip) {
        static Weights of(ShardGraph graph, int layer) {
            return new Weights(
                    graph.weight(block(layer, "ssm_conv1d.weight"), TensorUse.CONVOLUTION),
                    graph.weight(block(layer, "ssm_conv1d.bias"), TensorUse.ELEMENTWISE),
                    graph.weight(block(layer, "ssm_dt.bias"), TensorUse.ELEMENTWISE),
                    graph.weight(block(layer, "ssm_a"), TensorUse.ELEMENTWISE),
                    graph.weight(block(layer, "ssm_d"), TensorUse.ELEMENTWISE));
        }
    }

    private StateStep.Result step(Ops ops, Weights weights, StateStep.Group group) {
        Tensor before = group.states().get(CONVOLUTION_STATE);
        Tensor columns = ops.concat(before, ops.transpose(group.columns().getFirst()), 0);
        Tensor channels = ops.silu(ops.add(ops.ssmConv(columns, weights.kernel()), weights.bias()));
        Tensor times = ops.add(ops.cont(group.columns().get(1)), weights.timeBias());
        int head = lengths.head();
        Tensor x = view(ops, channels, 0, head, lengths.heads());
        long first = lengths.inner();
        Tensor b = view(ops, channels, first, lengths.state(), lengths.groups());
        first += (long) lengths.groups() * lengths.state();
        Tensor c = view(ops, channels, first, lengths.state(), lengths.groups());
        Tensor scanned =
                ops.ssmScan(
                        new ScanInputs(x, times, weights.decay(), b, c),
                        group.states().get(SCAN_STATE),
                        group.numbers());
        Tensor output = output(ops, scanned, group);
        return new StateStep.Result(
                ops.add(output, ops.mul(x, weights.skip())),
                Map.of(
                        CONVOLUTION_STATE,
                        lastColumns(ops, columns, group.tokens()),
                        SCAN_STATE,
                        ops.view1d(
                                scanned,
                                group.states().get(SCAN_STATE).elements(),
                                output.elements() * Float.BYTES)));
    }

    /** Some channels as heads: {@code F32 [length, count, n, s]}. */
    private static Tensor view(Ops ops, Tensor channels, long first, int length, int count) {
        return ops.view(
                channels,
                Extents.of(length, count, channels.ne(1), channels.ne(2)),
                Strides.of((long) length * Float.BYTES, channels.nb(1), channels.nb(2)),
                first * Float.BYTES);
    }

    private Tensor output(Ops ops, Tensor scanned, StateStep.Group group) {
        long head = (long) lengths.head() * Float.BYTES;
        long token = head * lengths.heads();
        return ops.view(
                scanned,
                Extents.of(lengths.head(), lengths.heads(), group.tokens(), group.sequences()),
                Strides.of(head, token, token * group.tokens()),
                0);
    }

    /** The inputs of the convolution that the next token reads. */
    private Tensor lastColumns(Ops ops, Tensor columns, int tokens) {
        return ops.view(
                columns,
                Extents.of(lengths.kernel() - 1, columns.ne(1), columns.ne(2)),
                Strides.of(columns.nb(1), columns.nb(2)),
                (long) tokens * Float.BYTES);
    }

    @Override
    public Tensor project(ShardGraph graph, Tensor mixed) {
        return graph.matmul(block(layer, "ssm_out"), mixed);
    }
}
