package dev.varve.platform.shard.local;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;

import java.util.List;

/**
 * Convolution and gated delta rule of a batch. Columns of several sequences are handed to ggml
 * group by group, see {@link RaggedGroup}; states are read and written in place of their rows.
 */
final class RecurrentBlock {
    private static final long FLOAT = Float.BYTES;

    private final Ops ops;
    private final Graph graph;
    private final List<RaggedGroup> groups;
    private final StateRows states;

    RecurrentBlock(Ops ops, Graph graph, GraphKey key, StateRows states) {
        this.ops = ops;
        this.graph = graph;
        this.groups = RaggedGroup.of(key);
        this.states = states;
    }

    /** {@code F32 [channels, T] -> F32 [channels, T]}. */
    Tensor convolve(int layer, Tensor input, Tensor kernel) {
        StateRows.Layer cache = states.layer(layer);
        Tensor result = null;
        for (RaggedGroup group : groups) {
            Tensor own = convolve(cache, group, input, kernel);
            result = result == null ? own : ops.concat(result, own, 1);
        }
        return result;
    }

    private Tensor convolve(StateRows.Layer cache, RaggedGroup group, Tensor input, Tensor kernel) {
        LayerState.Recurrent state = cache.state();
        long kept = state.convKernel() - 1;
        long channels = state.convChannels();
        long tokens = group.tokens();
        long sequences = group.sequences();
        Tensor before = convolutionRows(cache, group.readRow(), group);
        Tensor columns =
                ops.view(
                        input,
                        Extents.of(channels, tokens, sequences),
                        Strides.of(input.nb(1), input.nb(1) * tokens),
                        group.firstColumn() * input.nb(1));
        Tensor window = ops.concat(before, ops.transpose(columns), 0);
        Tensor last =
                ops.view(
                        window,
                        Extents.of(kept, channels, sequences),
                        Strides.of(window.nb(1), window.nb(2)),
                        tokens * FLOAT);
        graph.expand(ops.copy(last, convolutionRows(cache, group.writeRow(), group)));
        return ops.reshape2d(ops.ssmConv(window, kernel), channels, tokens * sequences);
    }

    private Tensor convolutionRows(StateRows.Layer cache, int firstRow, RaggedGroup group) {
        Tensor rows = cache.convolution();
        long kept = cache.state().convKernel() - 1;
        return ops.view(
                rows,
                Extents.of(kept, cache.state().convChannels(), group.sequences()),
                Strides.of(kept * FLOAT, rows.nb(1)),
                firstRow * rows.nb(1));
    }

    /** {@code F32 [stateSize, valueHeads, T]}. */
    Tensor delta(int layer, DeltaInputs inputs) {
        StateRows.Layer cache = states.layer(layer);
        Tensor result = null;
        for (RaggedGroup group : groups) {
            Tensor own = delta(cache, group, inputs);
            result = result == null ? own : ops.concat(result, own, 2);
        }
        return result;
    }

    private Tensor delta(StateRows.Layer cache, RaggedGroup group, DeltaInputs inputs) {
        long size = cache.state().stateSize();
        long heads = cache.state().valueHeads();
        long columns = (long) group.tokens() * group.sequences();
        Tensor output =
                ops.gatedDeltaNet(
                        new DeltaInputs(
                                heads(inputs.query(), group),
                                heads(inputs.key(), group),
                                heads(inputs.value(), group),
                                scalars(inputs.decay(), heads, group),
                                scalars(inputs.beta(), heads, group)),
                        matrixRows(cache, group.readRow(), group),
                        1);
        long outputBytes = size * heads * columns * FLOAT;
        Tensor after =
                ops.view(
                        output,
                        Extents.of(size, size, heads, group.sequences()),
                        Strides.of(size * FLOAT, size * size * FLOAT, size * size * heads * FLOAT),
                        outputBytes);
        graph.expand(ops.copy(after, matrixRows(cache, group.writeRow(), group)));
        return ops.view(
                output,
                Extents.of(size, heads, columns),
                Strides.of(size * FLOAT, size * heads * FLOAT),
                0);
    }

    private Tensor heads(Tensor all, RaggedGroup group) {
        return ops.view(
                all,
                Extents.of(all.ne(0), all.ne(1), group.tokens(), group.sequences()),
                Strides.of(all.nb(1), all.nb(2), all.nb(2) * group.tokens()),
                group.firstColumn() * all.nb(2));
    }

    private Tensor scalars(Tensor all, long heads, RaggedGroup group) {
        return ops.view(
                all,
                Extents.of(1, heads, group.tokens(), group.sequences()),
                Strides.of(FLOAT, heads * FLOAT, heads * FLOAT * group.tokens()),
                group.firstColumn() * heads * FLOAT);
    }

    private Tensor matrixRows(StateRows.Layer cache, int firstRow, RaggedGroup group) {
        Tensor rows = cache.matrix();
        long size = cache.state().stateSize();
        return ops.view(
                rows,
                Extents.of(size, size, cache.state().valueHeads(), group.sequences()),
                Strides.of(size * FLOAT, size * size * FLOAT, rows.nb(1)),
                firstRow * rows.nb(1));
    }
}
