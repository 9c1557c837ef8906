package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Inputs of the graph of a batch of texts; each is created once, where it is first asked for. */
final class EncoderInputs {
    /** Axes of multi-axis positions. */
    private static final int AXES = 4;

    /** The axes on which text has its position; the others have 0. */
    private static final int TEXT_AXES = 3;

    private final GgmlContext context;
    private final TextBatch batch;
    private final int[] positions;
    private final Map<Object, Tensor> known = new HashMap<>();
    private final List<Runnable> fills = new ArrayList<>();

    private record Rows(RowReader table, String indices) {}

    private record Factor(int interval, float growth) {}

    EncoderInputs(GgmlContext context, TextBatch batch) {
        this.context = context;
        this.batch = batch;
        positions = batch.positions();
    }

    /** Writes the inputs, after the graph got its memory. */
    void fill() {
        fills.forEach(Runnable::run);
    }

    Tensor ids() {
        return integers("ids", batch::ids);
    }

    Tensor positions() {
        return integers("positions", () -> positions);
    }

    Tensor nextPositions() {
        return integers(
                "next_positions",
                () -> {
                    int[] next = positions.clone();
                    for (int i = 0; i < next.length; i++) {
                        next[i]++;
                    }
                    return next;
                });
    }

    Tensor axisPositions() {
        return integers(
                "axis_positions",
                () -> {
                    int[] axes = new int[AXES * positions.length];
                    for (int axis = 0; axis < TEXT_AXES; axis++) {
                        System.arraycopy(
                                positions, 0, axes, axis * positions.length, positions.length);
                    }
                    return axes;
                });
    }

    /** Rows of a table in host memory, by the ids or positions of all tokens. */
    Tensor rows(RowReader table, boolean byPosition) {
        return rows(table, byPosition ? "positions" : "ids", byPosition ? positions : batch.ids());
    }

    /**
     * Rows of a table in host memory.
     *
     * @param name stands for the indices
     */
    Tensor rows(RowReader table, String name, int... indices) {
        int width = table.rowLength();
        return floats(
                new Rows(table, name),
                () -> {
                    float[] rows = new float[indices.length * width];
                    for (int i = 0; i < indices.length; i++) {
                        table.read(indices[i], rows, i * width);
                    }
                    return rows;
                },
                width,
                indices.length);
    }

    Tensor positionFactor(int interval, float growth) {
        return floats(
                new Factor(interval, growth),
                () -> {
                    float[] factors = new float[positions.length];
                    for (int i = 0; i < factors.length; i++) {
                        float steps = (float) Math.floor((float) positions[i] / interval);
                        factors[i] = (float) Math.log(steps + 1) * growth + 1;
                    }
                    return factors;
                },
                1,
                1,
                positions.length);
    }

    /** An input by a name that stands for its values. */
    Tensor integers(String name, Supplier<int[]> values) {
        return known.computeIfAbsent(
                name,
                any -> {
                    int[] given = values.get();
                    Tensor tensor =
                            context.newTensor(GgmlType.I32, given.length).named(name).markInput();
                    fills.add(() -> tensor.write(given, 0, given.length, 0));
                    return tensor;
                });
    }

    /** An input by a key that stands for its values, which are computed when they are written. */
    Tensor floats(Object key, Supplier<float[]> values, long... shape) {
        return known.computeIfAbsent(
                key,
                any -> {
                    Tensor tensor = context.newTensor(GgmlType.F32, shape).markInput();
                    fills.add(
                            () -> {
                                float[] given = values.get();
                                tensor.write(given, 0, given.length, 0);
                            });
                    return tensor;
                });
    }
}
