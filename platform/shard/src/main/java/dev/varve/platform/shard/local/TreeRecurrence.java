package dev.varve.platform.shard.local;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.OptionalInt;

/**
 * Recurrent operators over trees of tokens. Each token gets the numbers that it would get in a
 * sequence of its predecessors alone. States do not change; see {@link TreeEncoding} for the
 * variants.
 */
final class TreeRecurrence {
    private final Ops ops;
    private final RecurrentStateViews states;
    private final GraphInputs inputs;

    TreeRecurrence(Ops ops, RecurrentStateViews states, GraphInputs inputs) {
        this.ops = ops;
        this.states = states;
        this.inputs = inputs;
    }

    private Tensor parents(UniformLengthGroup group) {
        return inputs.tree(
                TreeInput.Kind.PARENTS, group.firstPart(), group.sequences(), group.tokens());
    }

    /**
     * Computes the convolution.
     *
     * @param columns {@code F32 [channels, tokens, sequences]}
     * @return {@code F32 [channels, tokens, sequences]}
     */
    Tensor convolve(
            RecurrentStateTensors.Layer cache,
            Tensor columns,
            Tensor kernel,
            UniformLengthGroup group) {
        return states.convolveTrees(cache, columns, kernel, group.readRow(), () -> parents(group))
                .orElseGet(() -> gather(cache, columns, kernel, group));
    }

    /** Gathers the inputs of each token, as if it were a sequence of its own. */
    private Tensor gather(
            RecurrentStateTensors.Layer cache,
            Tensor columns,
            Tensor kernel,
            UniformLengthGroup group) {
        long channels = columns.ne(0);
        int tokens = group.tokens();
        Tensor all = null;
        for (int i = 0; i < group.sequences(); i++) {
            Tensor own = ops.view2d(columns, channels, tokens, columns.nb(1), i * columns.nb(2));
            Tensor joined = ops.concat(states.storedColumns(cache, group.readRow() + i), own, 1);
            int taps = (int) kernel.ne(0);
            Tensor ids =
                    inputs.tree(TreeInput.Kind.WINDOWS, group.firstPart() + i, 1, taps * tokens);
            Tensor windows = ops.reshape3d(ops.getRows(joined, ids), channels, taps, tokens);
            Tensor results =
                    ops.reshape3d(
                            ops.ssmConv(ops.cont(ops.permute(windows, 1, 0, 2, 3)), kernel),
                            channels,
                            tokens,
                            1);
            all = all == null ? results : ops.concat(all, results, 2);
        }
        return all;
    }

    /**
     * Computes the delta rule with the device's own operator.
     *
     * @param deltas receives the deltas
     * @return {@code F32 [size, heads, tokens, sequences]}
     */
    Tensor deltaOfDraft(
            RecurrentStateTensors.Layer cache,
            DeltaInputs given,
            UniformLengthGroup group,
            Tensor deltas) {
        return states.deltaOfTrees(cache, given, group.readRow(), deltas, parents(group));
    }

    /**
     * Computes the delta rule path by path.
     *
     * @return {@code F32 [size, heads, tokens]}
     */
    Tensor delta(RecurrentStateTensors.Layer cache, DeltaInputs given, UniformLengthGroup group) {
        TreePaths paths = TreePaths.of(group.branching().tree());
        Tensor ids = inputs.tree(TreeInput.Kind.PATHS, group.firstPart(), 1, paths.length());
        long size = given.value().ne(0);
        long heads = given.value().ne(1);
        List<Tensor> tables =
                List.of(
                        table(given.query()),
                        table(given.key()),
                        table(given.value()),
                        table(given.decay()),
                        table(given.beta()));
        Tensor all = null;
        int begin = 0;
        for (int i = 0; i < paths.paths().size(); i++) {
            int length = paths.paths().get(i).length;
            Tensor path = ops.view1d(ids, length, (long) begin * Integer.BYTES);
            DeltaInputs own =
                    new DeltaInputs(
                            rows(tables.get(0), given.query(), path),
                            rows(tables.get(1), given.key(), path),
                            rows(tables.get(2), given.value(), path),
                            rows(tables.get(3), given.decay(), path),
                            rows(tables.get(4), given.beta(), path));
            Tensor output = states.delta(cache, own, group.readRow(), OptionalInt.empty());
            long row = size * heads * Float.BYTES;
            int fresh = paths.fresh().get(i);
            Tensor results = ops.view2d(output, size * heads, fresh, row, (length - fresh) * row);
            all = all == null ? ops.cont(results) : ops.concat(all, results, 1);
            begin += length;
        }
        Tensor order = inputs.tree(TreeInput.Kind.ORDER, group.firstPart(), 1, group.tokens());
        return ops.reshape3d(ops.getRows(all, order), size, heads, group.tokens());
    }

    /** {@code [a, b, tokens, 1] -> [a * b, tokens]}. */
    private Tensor table(Tensor columns) {
        return ops.reshape2d(ops.cont(columns), columns.ne(0) * columns.ne(1), columns.ne(2));
    }

    /** Gathers some columns: {@code [a, b, length, 1]}. */
    private Tensor rows(Tensor table, Tensor columns, Tensor path) {
        return ops.reshape4d(ops.getRows(table, path), columns.ne(0), columns.ne(1), path.ne(0), 1);
    }
}
