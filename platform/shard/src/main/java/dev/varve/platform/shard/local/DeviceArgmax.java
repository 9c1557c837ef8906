package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CacheUnitBytes;

import java.util.List;
import java.util.Optional;

/**
 * The best token of each row of logits, found on the device, so that a row need not be copied to
 * the host. Devices resolve ties and NaN differently; therefore the device also counts the tokens
 * below the best one. If all others are below it, it is the only best token and no logit is NaN.
 * Otherwise the host has to read the row.
 *
 * @param ids {@code I32 [outputs]}, the index of a largest logit
 * @param below {@code F32 [1, outputs]}, number of logits of the row below that one; NaN if it is
 *     infinite
 */
record DeviceArgmax(Tensor ids, Tensor below) {
    /** Below all logits in use, and above the start value of the device's search. */
    private static final float LOWEST = -1e30f;

    /** A float counts exactly up to this number. */
    private static final int MAX_COUNT = 1 << 24;

    /**
     * Adds the operators to a graph that ends with logits.
     *
     * @param logits {@code F32 [vocabulary, outputs]}
     * @return empty, with the graph unchanged, if there are too many rows or the device does not
     *     support an operator
     */
    static Optional<DeviceArgmax> record(Ops ops, Graph graph, Tensor logits, GgmlDevice device) {
        long vocabulary = logits.ne(0);
        long outputs = logits.ne(1);
        if (outputs > CacheUnitBytes.MAX_ROW_MAXIMA
                || vocabulary >= MAX_COUNT
                || !logits.isContiguous()) {
            return Optional.empty();
        }
        // A row without a number above the start value would give an index outside the row.
        Tensor copy = ops.scale(logits, 1);
        Tensor bounded = ops.clamp(copy, LOWEST, Float.POSITIVE_INFINITY);
        Tensor ids = ops.argmax(bounded);
        Tensor best =
                ops.getRows(
                        ops.reshape3d(logits, 1, vocabulary, outputs),
                        ops.reshape2d(ids, 1, outputs));
        Tensor bestOfRow = ops.reshape2d(best, 1, outputs);
        Tensor difference = ops.sub(logits, bestOfRow);
        Tensor negated = ops.neg(difference);
        Tensor isBelow = ops.step(negated);
        Tensor count = ops.sumRows(isBelow);
        Tensor zeroIfFinite = ops.scale(bestOfRow, 0);
        Tensor below = ops.add(count, zeroIfFinite);
        boolean supported =
                List.of(
                                copy,
                                bounded,
                                ids,
                                best,
                                difference,
                                negated,
                                isBelow,
                                count,
                                zeroIfFinite,
                                below)
                        .stream()
                        .allMatch(device::supports);
        if (!supported) {
            return Optional.empty();
        }
        graph.expand(ids.markOutput());
        graph.expand(below.markOutput());
        return Optional.of(new DeviceArgmax(ids, below));
    }

    /**
     * Reads the best tokens.
     *
     * @return per row the only best token, or -1 if the row has to be read
     */
    int[] read(int vocabulary) {
        int rows = (int) ids.elements();
        int[] found = new int[rows];
        float[] counts = new float[rows];
        ids.read(found, 0, rows, 0);
        below.read(counts, 0, rows, 0);
        for (int i = 0; i < rows; i++) {
            boolean only = counts[i] == vocabulary - 1 && found[i] >= 0 && found[i] < vocabulary;
            found[i] = only ? found[i] : -1;
        }
        return found;
    }
}
