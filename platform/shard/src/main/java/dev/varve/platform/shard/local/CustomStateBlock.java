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
 * ones, since a sequence may write the row that it reads.
 */
final class CustomStateBlock {
    private final Ops ops;
    private final Graph graph;
    private final GraphInputs inputs;
    private final List<UniformLengthGroup> groups;
    private final RecurrentStateTensors states;
    private final GraphErrorContext site;

    /** Columns of the batch. */
    private final int total;

    CustomStateBlock(
            Ops ops,
            Graph graph,
            GraphKey key,
            GraphInputs inputs,
            RecurrentStateTensors states,
            GraphErrorContext site) {
        this.ops = ops;
        this.graph = graph;
        this.inputs = inputs;
        this.groups = UniformLengthGroup.of(key);
        this.states = states;
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
        StateStep.Result result =
                step.advance(
                        new StateStep.Group(
                                group.tokens(),
                                group.sequences(),
                                cut,
                                before,
                                inputs.numbers(group.sequences())));
        long count = (long) group.tokens() * group.sequences();
        Tensor output = ops.cont(result.output());
        if (output.type() != GgmlType.F32 || output.elements() % count != 0) {
            throw mismatch(layer, "output", "F32 for " + count + " tokens", describe(output));
        }
        graph.expand(output);
        if (!result.states().keySet().equals(before.keySet())) {
            throw mismatch(layer, "states", before.keySet(), result.states().keySet());
        }
        Map<LayerState.Custom.Part, Tensor> after = new LinkedHashMap<>();
        for (LayerState.Custom.Part part : own.parts().keySet()) {
            Tensor kept = result.states().get(part.name());
            if (kept.type() != GgmlType.F32
                    || kept.elements() != part.elements() * group.sequences()) {
                throw mismatch(
                        layer,
                        "state " + part.name(),
                        describe(before.get(part.name())),
                        describe(kept));
            }
            // A copy, since it may be a view of the old state.
            Tensor copy = ops.cont(kept);
            graph.expand(copy);
            after.put(part, copy);
        }
        after.forEach(
                (part, kept) -> {
                    Tensor rows = rows(part, own.parts().get(part), group.writeRow(), group);
                    graph.expand(
                            ops.copy(
                                    ops.reshape2d(kept, part.elements(), group.sequences()), rows));
                });
        return ops.reshape2d(output, output.elements() / count, count);
    }

    private Tensor read(LayerState.Custom.Part part, Tensor all, UniformLengthGroup group) {
        Tensor rows = rows(part, all, group.readRow(), group);
        return switch (part.shape().size()) {
            case 1 -> rows;
            case 2 ->
                    ops.reshape3d(
                            rows, part.shape().get(0), part.shape().get(1), group.sequences());
            default ->
                    ops.reshape4d(
                            rows,
                            part.shape().get(0),
                            part.shape().get(1),
                            part.shape().get(2),
                            group.sequences());
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
