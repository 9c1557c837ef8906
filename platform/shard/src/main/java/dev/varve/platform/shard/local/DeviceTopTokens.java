package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.TopTokens;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The best {@value TopTokens#COUNT} tokens of each row of logits, found on the device, so that a
 * sampled row need not be copied to the host. Devices resolve ties differently; therefore the
 * device also counts the tokens below the least of them. If that is every other token of the row,
 * the best tokens are known exactly and no logit is NaN. Otherwise the host has to read the row.
 *
 * @param ids {@code I32 [COUNT, outputs]}, in no particular order
 * @param values {@code F32 [COUNT + 1, outputs]}, their logits, then the number of logits of the
 *     row below the least of them
 */
record DeviceTopTokens(Tensor ids, Tensor values) {
    /** Magnitude above that of all logits in use. */
    private static final float BOUND = 1e30f;

    /** A float counts exactly up to this number. */
    private static final int MAX_COUNT = 1 << 24;

    /**
     * Adds the operators to a graph that ends with logits.
     *
     * @param logits {@code F32 [vocabulary, outputs]}
     * @return empty, with the graph unchanged, if there are too many rows, the vocabulary is small,
     *     or the device does not support an operator
     */
    static Optional<DeviceTopTokens> record(
            Ops ops, Graph graph, Tensor logits, GgmlDevice device) {
        long vocabulary = logits.ne(0);
        long outputs = logits.ne(1);
        if (outputs > CacheUnitBytes.MAX_ROW_MAXIMA
                || vocabulary >= MAX_COUNT
                || vocabulary <= TopTokens.COUNT
                || !logits.isContiguous()) {
            return Optional.empty();
        }
        // NaN and infinity could give indexes outside the row.
        Tensor copy = ops.scale(logits, 1);
        Tensor bounded = ops.clamp(copy, -BOUND, BOUND);
        Tensor ids = ops.topK(bounded, TopTokens.COUNT);
        Tensor found = ops.getRows(ops.reshape3d(bounded, 1, vocabulary, outputs), ids);
        Tensor values = ops.reshape2d(found, TopTokens.COUNT, outputs);
        Tensor negated = ops.neg(values);
        Tensor place = ops.argmax(negated);
        Tensor least =
                ops.getRows(
                        ops.reshape3d(values, 1, TopTokens.COUNT, outputs),
                        ops.reshape2d(place, 1, outputs));
        Tensor difference = ops.sub(logits, ops.reshape2d(least, 1, outputs));
        Tensor distance = ops.neg(difference);
        Tensor isBelow = ops.step(distance);
        Tensor below = ops.sumRows(isBelow);
        Tensor all = ops.concat(values, below, 0);
        boolean supported =
                List.of(
                                copy,
                                bounded,
                                ids,
                                found,
                                negated,
                                place,
                                least,
                                difference,
                                distance,
                                isBelow,
                                below,
                                all)
                        .stream()
                        .allMatch(device::supports);
        if (!supported) {
            return Optional.empty();
        }
        graph.expand(ids.markOutput());
        graph.expand(all.markOutput());
        return Optional.of(new DeviceTopTokens(ids, all));
    }

    /**
     * Reads the best tokens of all rows.
     *
     * @return per row its best tokens; empty if the row has to be read
     */
    List<Optional<TopTokens>> read(int vocabulary) {
        int rows = (int) ids.ne(1);
        int[] tokens = new int[rows * TopTokens.COUNT];
        float[] logits = new float[rows * (TopTokens.COUNT + 1)];
        ids.read(tokens, 0, tokens.length, 0);
        values.read(logits, 0, logits.length, 0);
        List<Optional<TopTokens>> found = new ArrayList<>(rows);
        for (int row = 0; row < rows; row++) {
            found.add(row(tokens, logits, row, vocabulary));
        }
        return found;
    }

    private static Optional<TopTokens> row(int[] tokens, float[] logits, int row, int vocabulary) {
        int first = row * (TopTokens.COUNT + 1);
        if (logits[first + TopTokens.COUNT] != vocabulary - TopTokens.COUNT) {
            return Optional.empty();
        }
        long[] pairs = new long[TopTokens.COUNT];
        for (int i = 0; i < pairs.length; i++) {
            int token = tokens[row * TopTokens.COUNT + i];
            float logit = logits[first + i];
            if (token < 0 || token >= vocabulary || !(Math.abs(logit) < BOUND)) {
                return Optional.empty();
            }
            pairs[i] = (long) token << Integer.SIZE | Integer.toUnsignedLong(bits(logit));
        }
        Arrays.sort(pairs);
        int[] ids = new int[pairs.length];
        float[] own = new float[pairs.length];
        for (int i = 0; i < pairs.length; i++) {
            ids[i] = (int) (pairs[i] >> Integer.SIZE);
            own[i] = Float.intBitsToFloat((int) pairs[i]);
            if (i > 0 && ids[i] == ids[i - 1]) {
                return Optional.empty();
            }
        }
        return Optional.of(new TopTokens(ids, own));
    }

    private static int bits(float logit) {
        return Float.floatToRawIntBits(logit);
    }
}
