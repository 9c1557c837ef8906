package dev.varve.testkit;

import java.util.List;
import java.util.Set;

/**
 * Adds random tensors of the usual kinds to a file; each depends on the seed and its name alone.
 *
 * @param type of all matrices, {@link TensorType#MXFP4} of experts only, with the others in Q8_0;
 *     those whose rows are no whole blocks fall back to another
 * @param patterned whether matrices repeat slices of one random pattern
 * @param quietRows tokens whose rows in embedding and head are nearly zero
 */
record RandomTensors(
        GgufWriter writer,
        TensorType type,
        boolean patterned,
        RandomRows rows,
        Set<Integer> quietRows) {
    /** Deviation of the router's logits for inputs of unit size. */
    static final double ROUTER_DEVIATION = 1.5;

    /**
     * Adds a matrix, or one per expert.
     *
     * @param shape inputs, outputs, and for experts their count
     */
    void matrix(String name, List<Integer> shape, double deviation) {
        TensorType fitting = type(shape).orFallbackFor(shape.getFirst());
        List<Long> extents = extents(shape);
        writer.tensor(
                name,
                fitting,
                extents,
                patterned
                        ? rows.patterned(name, fitting, extents, deviation, Set.of())
                        : new TensorData.Floats(rows.gaussian(name, 0, deviation)));
    }

    /** Adds an embedding or a head, {@code [embedding, vocabulary]}. */
    void vocabulary(String name, int embedding, int vocabulary, double deviation) {
        List<Integer> shape = List.of(embedding, vocabulary);
        TensorType fitting = type(shape).orFallbackFor(embedding);
        List<Long> extents = extents(shape);
        writer.tensor(
                name,
                fitting,
                extents,
                patterned
                        ? rows.patterned(name, fitting, extents, deviation, quietRows)
                        : new TensorData.Floats(withQuietRows(rows.gaussian(name, 0, deviation))));
    }

    /** Adds the F32 matrix that scores the experts, {@code [embedding, experts]}. */
    void router(String name, int embedding, int experts) {
        double deviation = ROUTER_DEVIATION / Math.sqrt(embedding);
        floats(name, List.of(embedding, experts), rows.gaussian(name, 0, deviation));
    }

    void norm(String name, int length, double mean) {
        vector(name, length, rows.gaussian(name, mean, 0.1));
    }

    void vector(String name, int length, TensorData.RowGenerator values) {
        floats(name, List.of(length), values);
    }

    /** Adds an F32 tensor of any shape. */
    void floats(String name, List<Integer> shape, TensorData.RowGenerator values) {
        writer.tensor(name, TensorType.F32, extents(shape), new TensorData.Floats(values));
    }

    private TensorType type(List<Integer> shape) {
        return type == TensorType.MXFP4 && shape.size() < 3 ? TensorType.Q8_0 : type;
    }

    private TensorData.RowGenerator withQuietRows(TensorData.RowGenerator all) {
        return (row, values) -> {
            all.fill(row, values);
            if (quietRows.contains((int) row)) {
                for (int i = 0; i < values.length; i++) {
                    values[i] *= 0.01f;
                }
            }
        };
    }

    private static List<Long> extents(List<Integer> shape) {
        return shape.stream().map(Integer::longValue).toList();
    }
}
