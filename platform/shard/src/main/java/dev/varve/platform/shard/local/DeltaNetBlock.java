package dev.varve.platform.shard.local;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.OptionalInt;

/**
 * Convolution and gated delta rule of a batch. Columns of several sequences are passed to ggml
 * group by group, see {@link UniformLengthGroup}; states are read and written in their rows, but
 * those of drafted chunks do not change, see {@link CommitGraph}.
 */
final class DeltaNetBlock {
    private static final long FLOAT = Float.BYTES;

    private final Ops ops;
    private final List<UniformLengthGroup> groups;
    private final RecurrentStateTensors rows;
    private final RecurrentStateViews states;
    private final RollbackBufferAccess rollback;
    private final TreeRecurrence trees;

    DeltaNetBlock(
            Ops ops, Graph graph, GraphKey key, GraphInputs inputs, ShardGraphContext context) {
        this.ops = ops;
        groups = UniformLengthGroup.of(key);
        rows = context.caches().stateRows();
        states = new RecurrentStateViews(ops, graph, context.arithmetic().recurrent());
        rollback = new RollbackBufferAccess(ops, graph, context.caches().rollbackBuffer());
        trees = new TreeRecurrence(ops, states, inputs);
    }

    /** {@code F32 [channels, T] -> F32 [channels, T]}. */
    Tensor convolve(int layer, Tensor input, Tensor kernel) {
        Tensor result = null;
        for (UniformLengthGroup group : groups) {
            Tensor own = convolve(layer, group, input, kernel);
            result = result == null ? own : ops.concat(result, own, 1);
        }
        return result;
    }

    private Tensor convolve(int layer, UniformLengthGroup group, Tensor input, Tensor kernel) {
        RecurrentStateTensors.Layer cache = rows.layer(layer);
        long channels = cache.state().convChannels();
        long tokens = group.tokens();
        long sequences = group.sequences();
        Tensor columns =
                ops.view(
                        input,
                        Extents.of(channels, tokens, sequences),
                        Strides.of(input.nb(1), input.nb(1) * tokens),
                        group.firstColumn() * input.nb(1));
        if (group.isDrafted()) {
            rollback.write(layer, columns, group);
        }
        Tensor output =
                group.branching().branches()
                        ? trees.convolve(cache, columns, kernel, group)
                        : states.convolve(cache, columns, kernel, group.readRow(), writeRow(group));
        return ops.reshape2d(output, channels, tokens * sequences);
    }

    /** {@code F32 [stateSize, valueHeads, T]}. */
    Tensor delta(int layer, DeltaInputs inputs) {
        Tensor result = null;
        for (UniformLengthGroup group : groups) {
            Tensor own = delta(layer, group, inputs);
            result = result == null ? own : ops.concat(result, own, 2);
        }
        return result;
    }

    private Tensor delta(int layer, UniformLengthGroup group, DeltaInputs all) {
        RecurrentStateTensors.Layer cache = rows.layer(layer);
        long size = cache.state().stateSize();
        long heads = cache.state().valueHeads();
        long columns = (long) group.tokens() * group.sequences();
        DeltaInputs inputs =
                new DeltaInputs(
                        heads(all.query(), group),
                        heads(all.key(), group),
                        heads(all.value(), group),
                        scalars(all.decay(), heads, group),
                        scalars(all.beta(), heads, group));
        Tensor output = delta(layer, cache, group, inputs);
        return ops.view(
                output,
                Extents.of(size, heads, columns),
                Strides.of(size * FLOAT, size * heads * FLOAT),
                0);
    }

    private Tensor delta(
            int layer,
            RecurrentStateTensors.Layer cache,
            UniformLengthGroup group,
            DeltaInputs inputs) {
        if (group.isDrafted() && states.storesDeltas(inputs)) {
            Tensor deltas = rollback.writeExceptValues(layer, inputs, group);
            return group.branching().branches()
                    ? trees.deltaOfDraft(cache, inputs, group, deltas)
                    : states.deltaOfDraft(cache, inputs, group.readRow(), deltas);
        }
        if (group.isDrafted()) {
            rollback.write(layer, inputs, group);
        }
        if (group.branching().branches()) {
            return trees.delta(cache, inputs, group);
        }
        return states.delta(cache, inputs, group.readRow(), writeRow(group));
    }

    /**
     * Row for the states after a group; empty for a drafted group, whose states are committed
     * later.
     */
    private static OptionalInt writeRow(UniformLengthGroup group) {
        return group.isDrafted() ? OptionalInt.empty() : OptionalInt.of(group.writeRow());
    }

    private Tensor heads(Tensor all, UniformLengthGroup group) {
        return ops.view(
                all,
                Extents.of(all.ne(0), all.ne(1), group.tokens(), group.sequences()),
                Strides.of(all.nb(1), all.nb(2), all.nb(2) * group.tokens()),
                group.firstColumn() * all.nb(2));
    }

    private Tensor scalars(Tensor all, long heads, UniformLengthGroup group) {
        return ops.view(
                all,
                Extents.of(1, heads, group.tokens(), group.sequences()),
                Strides.of(FLOAT, heads * FLOAT, heads * FLOAT * group.tokens()),
                group.firstColumn() * heads * FLOAT);
    }
}
