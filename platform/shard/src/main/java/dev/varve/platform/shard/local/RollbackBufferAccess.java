package dev.varve.platform.shard.local;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;

/**
 * Builds the writes of gated delta net inputs to a {@link StateRollbackBuffer}, and their reads.
 */
final class RollbackBufferAccess {
    private final Ops ops;
    private final Graph graph;
    private final StateRollbackBuffer rollbackBuffer;

    RollbackBufferAccess(Ops ops, Graph graph, StateRollbackBuffer rollbackBuffer) {
        this.ops = ops;
        this.graph = graph;
        this.rollbackBuffer = rollbackBuffer;
    }

    /** Keeps the inputs of a convolution, {@code F32 [channels, tokens, sequences]}. */
    void write(int layer, Tensor columns, UniformLengthGroup group) {
        Tensor all = rollbackBuffer.layer(layer).convolution();
        graph.expand(ops.copy(columns, columns(all, group)));
    }

    /** Keeps the inputs of a delta rule; queries do not change its state. */
    void write(int layer, DeltaInputs inputs, UniformLengthGroup group) {
        StateRollbackBuffer.Layer target = rollbackBuffer.layer(layer);
        graph.expand(ops.copy(inputs.value(), writeExceptValues(layer, inputs, group)));
        graph.expand(ops.copy(inputs.beta(), scalars(target.beta(), group)));
    }

    /**
     * Keeps the inputs that are needed to add deltas.
     *
     * @return the place of values, for deltas
     */
    Tensor writeExceptValues(int layer, DeltaInputs inputs, UniformLengthGroup group) {
        StateRollbackBuffer.Layer target = rollbackBuffer.layer(layer);
        Tensor key = inputs.key();
        long heads = target.keys().ne(1);
        // Value head h uses key head h mod their number, as a repetition does.
        Tensor keys =
                key.ne(1) == heads
                        ? key
                        : ops.repeat4d(key, key.ne(0), heads, key.ne(2), key.ne(3));
        graph.expand(ops.copy(keys, heads(target.keys(), group)));
        graph.expand(ops.copy(inputs.decay(), scalars(target.decay(), group)));
        return heads(target.values(), group);
    }

    /** Returns the kept convolution inputs of the first tokens of a group. */
    Tensor convolution(int layer, UniformLengthGroup group) {
        return columns(rollbackBuffer.layer(layer).convolution(), group);
    }

    /**
     * Returns the kept inputs of a delta rule, with deltas instead of values if deltas were kept.
     */
    DeltaInputs delta(int layer, UniformLengthGroup group) {
        StateRollbackBuffer.Layer source = rollbackBuffer.layer(layer);
        Tensor keys = heads(source.keys(), group);
        return new DeltaInputs(
                keys,
                keys,
                heads(source.values(), group),
                scalars(source.decay(), group),
                scalars(source.beta(), group));
    }

    private Tensor columns(Tensor all, UniformLengthGroup group) {
        return ops.view(
                all,
                Extents.of(all.ne(0), group.tokens(), group.sequences()),
                Strides.of(all.nb(1), all.nb(2)),
                group.rollbackBuffer() * all.nb(2));
    }

    private Tensor heads(Tensor all, UniformLengthGroup group) {
        return ops.view(
                all,
                Extents.of(all.ne(0), all.ne(1), group.tokens(), group.sequences()),
                Strides.of(all.nb(1), all.nb(2), all.nb(3)),
                group.rollbackBuffer() * all.nb(3));
    }

    private Tensor scalars(Tensor all, UniformLengthGroup group) {
        return ops.view(
                all,
                Extents.of(1, all.ne(0), group.tokens(), group.sequences()),
                Strides.of(all.nb(0), all.nb(1), all.nb(2)),
                group.rollbackBuffer() * all.nb(2));
    }
}
