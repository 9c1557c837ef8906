package dev.varve.platform.shard.local;

import dev.varve.api.backend.DeltaRule;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.backend.WindowConvolution;
import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** Builds the reads and writes of gated delta net states, in place in their rows. */
final class RecurrentStateViews {
    private static final long FLOAT = Float.BYTES;

    private final Ops ops;
    private final Graph graph;
    private final RecurrentOperators own;

    /**
     * @param own the device's own operators
     */
    RecurrentStateViews(Ops ops, Graph graph, RecurrentOperators own) {
        this.ops = ops;
        this.graph = graph;
        this.own = own;
    }

    /**
     * Convolves the stored inputs followed by new inputs.
     *
     * @param columns {@code F32 [channels, tokens, sequences]}
     * @param kernel {@code F32 [stored + 1, channels]}
     * @param readRow row of the first sequence; the others follow
     * @param writeRow row for the last inputs; empty to keep none
     * @return {@code F32 [channels, tokens, sequences]}
     */
    Tensor convolve(
            RecurrentStateTensors.Layer cache,
            Tensor columns,
            Tensor kernel,
            int readRow,
            OptionalInt writeRow) {
        long sequences = columns.ne(2);
        Optional<WindowConvolution> convolution =
                canReplace(readRow, writeRow.orElse(readRow), sequences)
                        ? own.convolution().filter(each -> each.takes(columns, kernel))
                        : Optional.empty();
        if (convolution.isEmpty()) {
            Tensor window = window(cache, columns, readRow);
            writeRow.ifPresent(row -> writeWindow(cache, window, row));
            return ops.ssmConv(window, kernel);
        }
        Optional<Tensor> after =
                writeRow.isPresent()
                        ? Optional.of(convolutionRows(cache, writeRow.getAsInt(), sequences))
                        : Optional.empty();
        Tensor before = convolutionRows(cache, readRow, sequences);
        Tensor results = convolution.get().apply(ops, columns, kernel, before, after);
        // Later reads of these inputs come after it in the graph.
        graph.expand(results);
        return results;
    }

    /**
     * As {@link #convolve}, for tokens that are trees.
     *
     * @param parents {@code I32 [tokens, sequences]}
     * @return empty if the device has no operator for it
     */
    Optional<Tensor> convolveTrees(
            RecurrentStateTensors.Layer cache,
            Tensor columns,
            Tensor kernel,
            int readRow,
            Supplier<Tensor> parents) {
        return own.convolution()
                .filter(each -> each.takes(columns, kernel))
                .map(
                        each -> {
                            Tensor before = convolutionRows(cache, readRow, columns.ne(2));
                            Tensor results =
                                    each.branch(ops, columns, kernel, before, parents.get());
                            graph.expand(results);
                            return results;
                        });
    }

    /**
     * The stored inputs, {@code F32 [channels, stored]}.
     *
     * @param row of the sequence
     */
    Tensor storedColumns(RecurrentStateTensors.Layer cache, int row) {
        return ops.cont(ops.transpose(convolutionRows(cache, row, 1)));
    }

    /**
     * Concatenates the stored inputs and new ones.
     *
     * @return {@code F32 [stored + tokens, channels, sequences]}
     */
    private Tensor window(RecurrentStateTensors.Layer cache, Tensor columns, int readRow) {
        Tensor before = convolutionRows(cache, readRow, columns.ne(2));
        Tensor joined = ops.concat(byChannel(before), byChannel(ops.transpose(columns)), 0);
        return ops.reshape3d(joined, joined.ne(0), joined.ne(2), joined.ne(3));
    }

    /**
     * {@code [inputs, channels, sequences] -> [inputs, 1, channels, sequences]}: the CPU backend
     * divides the third dimension of a concatenation among its threads.
     */
    private Tensor byChannel(Tensor inputs) {
        return ops.permute(inputs, 0, 2, 3, 1);
    }

    /** Keeps the last inputs of a {@link #window}. */
    private void writeWindow(RecurrentStateTensors.Layer cache, Tensor window, int writeRow) {
        long kept = storedInputs(cache);
        Tensor last =
                ops.view(
                        window,
                        Extents.of(kept, window.ne(1), window.ne(2)),
                        Strides.of(window.nb(1), window.nb(2)),
                        (window.ne(0) - kept) * FLOAT);
        graph.expand(ops.copy(last, convolutionRows(cache, writeRow, window.ne(2))));
    }

    /** Keeps the last inputs as {@link #convolve} does, without computing results. */
    void advanceWindow(
            RecurrentStateTensors.Layer cache, Tensor columns, int readRow, int writeRow) {
        long surplus = columns.ne(1) - storedInputs(cache);
        if (surplus < 0) {
            writeWindow(cache, window(cache, columns, readRow), writeRow);
            return;
        }
        Tensor last =
                ops.view(
                        columns,
                        Extents.of(columns.ne(0), storedInputs(cache), columns.ne(2)),
                        Strides.of(columns.nb(1), columns.nb(2)),
                        surplus * columns.nb(1));
        graph.expand(
                ops.copy(ops.transpose(last), convolutionRows(cache, writeRow, columns.ne(2))));
    }

    private static long storedInputs(RecurrentStateTensors.Layer cache) {
        return cache.state().convKernel() - 1;
    }

    private Tensor convolutionRows(
            RecurrentStateTensors.Layer cache, int firstRow, long sequences) {
        Tensor rows = cache.convolution();
        return ops.view(
                rows,
                Extents.of(storedInputs(cache), cache.state().convChannels(), sequences),
                Strides.of(storedInputs(cache) * FLOAT, rows.nb(1)),
                firstRow * rows.nb(1));
    }

    /**
     * Applies the delta rule, starting from the states.
     *
     * @param readRow row of the first sequence; the others follow
     * @param writeRow row for its new state; empty to keep none
     * @return begins with the results of all tokens, {@code [size, heads, tokens * sequences]}
     */
    Tensor delta(
            RecurrentStateTensors.Layer cache,
            DeltaInputs inputs,
            int readRow,
            OptionalInt writeRow) {
        long sequences = inputs.value().ne(3);
        Tensor before = matrixRows(cache, readRow, sequences);
        Optional<DeltaRule> rule = ruleFor(inputs, readRow, writeRow.orElse(readRow));
        if (rule.isPresent()) {
            Optional<Tensor> after =
                    writeRow.isPresent()
                            ? Optional.of(matrixRows(cache, writeRow.getAsInt(), sequences))
                            : Optional.empty();
            Tensor results = rule.get().apply(ops, inputs, before, after);
            // Later reads of these states come after it in the graph.
            graph.expand(results);
            return results;
        }
        Tensor output = ops.gatedDeltaNet(inputs, before, 1);
        writeRow.ifPresent(row -> writeMatrix(cache, output, inputs.value(), row));
        return output;
    }

    /** Whether the deltas of draft tokens are stored for the commit instead of their values. */
    boolean storesDeltas(DeltaInputs inputs) {
        return own.deltaRule().filter(each -> each.takes(inputs)).isPresent();
    }

    /**
     * As {@link #delta}, for draft tokens; only if {@link #storesDeltas}.
     *
     * @param deltas receives the deltas
     */
    Tensor deltaOfDraft(
            RecurrentStateTensors.Layer cache, DeltaInputs inputs, int readRow, Tensor deltas) {
        Tensor before = matrixRows(cache, readRow, inputs.value().ne(3));
        Tensor results = own.deltaRule().orElseThrow().guess(ops, inputs, before, deltas);
        // The commit comes after it in the graph.
        graph.expand(results);
        return results;
    }

    /**
     * As {@link #deltaOfDraft}, for tokens that are trees.
     *
     * @param parents {@code I32 [tokens, sequences]}
     */
    Tensor deltaOfTrees(
            RecurrentStateTensors.Layer cache,
            DeltaInputs inputs,
            int readRow,
            Tensor deltas,
            Tensor parents) {
        Tensor before = matrixRows(cache, readRow, inputs.value().ne(3));
        Tensor results = own.deltaRule().orElseThrow().branch(ops, inputs, before, deltas, parents);
        // The commit comes after it in the graph.
        graph.expand(results);
        return results;
    }

    /**
     * Advances states over accepted draft tokens.
     *
     * @param inputs with deltas instead of values, if deltas were stored
     */
    void advanceMatrix(
            RecurrentStateTensors.Layer cache, DeltaInputs inputs, int readRow, int writeRow) {
        if (!storesDeltas(inputs)) {
            delta(cache, inputs, readRow, OptionalInt.of(writeRow));
            return;
        }
        long sequences = inputs.value().ne(3);
        graph.expand(
                own.deltaRule()
                        .orElseThrow()
                        .advance(
                                ops,
                                inputs.key(),
                                inputs.value(),
                                inputs.decay(),
                                matrixRows(cache, readRow, sequences),
                                matrixRows(cache, writeRow, sequences)));
    }

    private Optional<DeltaRule> ruleFor(DeltaInputs inputs, int readRow, int writeRow) {
        return canReplace(readRow, writeRow, inputs.value().ne(3))
                ? own.deltaRule().filter(each -> each.takes(inputs))
                : Optional.empty();
    }

    /**
     * A device's own operators require that the rows before and after are the same or do not
     * overlap.
     */
    private static boolean canReplace(int readRow, int writeRow, long sequences) {
        int distance = Math.abs(readRow - writeRow);
        return distance == 0 || distance >= sequences;
    }

    /** Keeps the states that follow the results in the output. */
    private void writeMatrix(
            RecurrentStateTensors.Layer cache, Tensor output, Tensor value, int row) {
        long size = value.ne(0);
        long heads = value.ne(1);
        long sequences = value.ne(3);
        Tensor after =
                ops.view(
                        output,
                        Extents.of(size, size, heads, sequences),
                        Strides.of(size * FLOAT, size * size * FLOAT, size * size * heads * FLOAT),
                        value.elements() * FLOAT);
        graph.expand(ops.copy(after, matrixRows(cache, row, sequences)));
    }

    private Tensor matrixRows(RecurrentStateTensors.Layer cache, int firstRow, long sequences) {
        Tensor rows = cache.matrix();
        long size = cache.state().stateSize();
        return ops.view(
                rows,
                Extents.of(size, size, cache.state().valueHeads(), sequences),
                Strides.of(size * FLOAT, size * size * FLOAT, rows.nb(1)),
                firstRow * rows.nb(1));
    }
}
