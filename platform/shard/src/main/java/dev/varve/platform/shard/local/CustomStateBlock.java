package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.StateStep;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Advances states with the code of a family. It receives the sequences of a batch in groups of one
 * length, see {@link UniformLengthGroup}. Its new states are written after every read of the old
 * ones, since a sequence may write the row that it reads. A drafted chunk is processed token by
 * token, and the state after each is kept until the accepted tokens are known, see {@link
 * CommitGraph}.
 */
final class CustomStateBlock {
    private final Ops ops;
    private final Graph graph;
    private final GraphInputs inputs;
    private final List<UniformLengthGroup> groups;
    private final RecurrentStateTensors states;
    private final StateRollbackBuffer rollback;
    private final GraphErrorContext site;

    /** Columns of the batch. */
    private final int total;

    CustomStateBlock(
            Ops ops,
            Graph graph,
            GraphKey key,
            GraphInputs inputs,
            ShardCaches caches,
            GraphErrorContext site) {
        this.ops = ops;
        this.graph = graph;
        this.inputs = inputs;
        this.groups = UniformLengthGroup.of(key);
        this.states = caches.stateRows();
        rollback = caches.rollbackBuffer();
        this.site = site;
        total = key.tokens();
    }

    /** {@code F32 [.., T] -> F32 [width, T]}. */
    Tensor advance(int layer, List<Tensor> columns, StateStep step) {
        RecurrentStateTensors.Own own = states.own(layer);
        Tensor all = null;
        for (UniformLengthGroup group : groups) {
            Tensor output = advance(layer, own, group, columns, step);
            if (all != null && all.ne(0) != output.ne(0)) {
                throw mismatch(layer, "output", "rows of " + all.ne(0), "rows of " + output.ne(0));
            }
            all = all == null ? output : ops.concat(all, output, 1);
        }
        return all;
    }

    private Tensor advance(
            int layer,
            RecurrentStateTensors.Own own,
            UniformLengthGroup group,
            List<Tensor> columns,
            StateStep step) {
        Map<String, Tensor> before = new TreeMap<>();
        own.parts().forEach((part, rows) -> before.put(part.name(), read(part, rows, group)));
        List<Tensor> cut = new ArrayList<>();
        columns.forEach(column -> cut.add(cut(column, group)));
        if (group.isDrafted()) {
            return advanceDraft(
                    layer,
                    own,
                    group,
                    new StateStep.Group(
                            group.tokens(),
                            group.sequences(),
                            cut,
                            before,
                            inputs.numbers(group.sequences())),
                    step);
        }
        StateStep.Result result =
                step.advance(
                        new StateStep.Group(
                                group.tokens(),
                                group.sequences(),
                                cut,
                                before,
                                inputs.numbers(group.sequences())));
        long count = (long) group.tokens() * group.sequences();
        Tensor output = output(layer, result, count);
        Map<LayerState.Custom.Part, Tensor> after = states(layer, own, result, before);
        after.forEach(
                (part, kept) ->
                        graph.expand(
                                ops.copy(
                                        kept,
                                        rows(
                                                part,
                                                own.parts().get(part),
                                                group.writeRow(),
                                                group))));
        return ops.reshape2d(output, output.elements() / count, count);
    }

    /** Keeps the state after each token; the rows of the states do not change. */
    private Tensor advanceDraft(
            int layer,
            RecurrentStateTensors.Own own,
            UniformLengthGroup group,
            StateStep.Group chunk,
            StateStep step) {
        Map<String, Tensor> before = chunk.states();
        Tensor all = null;
        for (int token = 0; token < chunk.tokens(); token++) {
            int at = token;
            StateStep.Result result =
                    step.advance(
                            new StateStep.Group(
                                    1,
                                    chunk.sequences(),
                                    chunk.columns().stream()
                                            .map(columns -> token(columns, at, chunk))
                                            .toList(),
                                    before,
                                    chunk.numbers()));
            Tensor output = output(layer, result, chunk.sequences());
            Tensor column =
                    ops.reshape3d(
                            output, output.elements() / chunk.sequences(), 1, chunk.sequences());
            all = all == null ? column : ops.concat(all, column, 1);
            Map<String, Tensor> next = new TreeMap<>();
            states(layer, own, result, before)
                    .forEach(
                            (part, kept) -> {
                                Tensor place =
                                        StateRollbackBuffer.after(
                                                ops,
                                                rollback.ownLayers().get(layer).get(part),
                                                at,
                                                group.rollbackBuffer(),
                                                group.sequences());
                                graph.expand(ops.copy(kept, place));
                                next.put(part.name(), shaped(part, kept, group.sequences()));
                            });
            before = next;
        }
        return ops.reshape2d(all, all.ne(0), all.ne(1) * all.ne(2));
    }

    /** Views one token of each sequence: {@code [.., tokens, sequences] -> [.., 1, sequences]}. */
    private Tensor token(Tensor columns, int token, StateStep.Group chunk) {
        return columns.ne(2) == chunk.sequences()
                        && columns.ne(3) == 1
                        && columns.ne(1) == chunk.tokens()
                ? ops.view(
                        columns,
                        Extents.of(columns.ne(0), 1, columns.ne(2)),
                        Strides.of(columns.nb(1), columns.nb(2)),
                        token * columns.nb(1))
                : ops.view(
                        columns,
                        Extents.of(columns.ne(0), columns.ne(1), 1, columns.ne(3)),
                        Strides.of(columns.nb(1), columns.nb(2), columns.nb(3)),
                        token * columns.nb(2));
    }

    private Tensor output(int layer, StateStep.Result result, long count) {
        Tensor output = ops.cont(result.output());
        if (output.type() != GgmlType.F32 || output.elements() % count != 0) {
            throw mismatch(layer, "output", "F32 for " + count + " tokens", describe(output));
        }
        graph.expand(output);
        return output;
    }

    /**
     * Copies of the new states, {@code F32 [elements, sequences]}: they may be views of old ones.
     */
    private Map<LayerState.Custom.Part, Tensor> states(
            int layer,
            RecurrentStateTensors.Own own,
            StateStep.Result result,
            Map<String, Tensor> before) {
        if (!result.states().keySet().equals(before.keySet())) {
            throw mismatch(layer, "states", before.keySet(), result.states().keySet());
        }
        Map<LayerState.Custom.Part, Tensor> after = new LinkedHashMap<>();
        for (LayerState.Custom.Part part : own.parts().keySet()) {
            Tensor kept = result.states().get(part.name());
            Tensor old = before.get(part.name());
            if (kept.type() != GgmlType.F32 || kept.elements() != old.elements()) {
                throw mismatch(layer, "state " + part.name(), describe(old), describe(kept));
            }
            Tensor copy = ops.cont(kept);
            graph.expand(copy);
            after.put(
                    part, ops.reshape2d(copy, part.elements(), copy.elements() / part.elements()));
        }
        return after;
    }

    private Tensor read(LayerState.Custom.Part part, Tensor all, UniformLengthGroup group) {
        return shaped(part, rows(part, all, group.readRow(), group), group.sequences());
    }

    /** Gives the rows of states the shape that the family declared. */
    private Tensor shaped(LayerState.Custom.Part part, Tensor rows, int sequences) {
        return switch (part.shape().size()) {
            case 1 -> rows;
            case 2 -> ops.reshape3d(rows, part.shape().get(0), part.shape().get(1), sequences);
            default ->
                    ops.reshape4d(
                            rows,
                            part.shape().get(0),
                            part.shape().get(1),
                            part.shape().get(2),
                            sequences);
        };
    }

    private Tensor rows(
            LayerState.Custom.Part part, Tensor all, int firstRow, UniformLengthGroup group) {
        return ops.view2d(all, part.elements(), group.sequences(), all.nb(1), firstRow * all.nb(1));
    }

    /** Views the columns of a group: {@code [.., T] -> [.., tokens, sequences]}. */
    private Tensor cut(Tensor all, UniformLengthGroup group) {
        int tokens = group.tokens();
        int sequences = group.sequences();
        int first = group.firstColumn();
        // A single token's column of three dimensions has the shape of several columns of two.
        return all.ne(2) == 1 && all.ne(1) == total
                ? ops.view(
                        all,
                        Extents.of(all.ne(0), tokens, sequences),
                        Strides.of(all.nb(1), all.nb(1) * tokens),
                        first * all.nb(1))
                : ops.view(
                        all,
                        Extents.of(all.ne(0), all.ne(1), tokens, sequences),
                        Strides.of(all.nb(1), all.nb(2), all.nb(2) * tokens),
                        first * all.nb(2));
    }

    private static String describe(Tensor tensor) {
        return String.format(
                Locale.ROOT,
                "%s [%d, %d, %d, %d]",
                tensor.type(),
                tensor.ne(0),
                tensor.ne(1),
                tensor.ne(2),
                tensor.ne(3));
    }

    private GraphBuildException mismatch(int layer, String what, Object expected, Object found) {
        return site.fault(
                "layer "
                        + layer
                        + ", "
                        + LayerStateOperator.CUSTOM
                        + ": "
                        + what
                        + ": expected "
                        + expected
                        + ", found "
                        + found);
    }
}
