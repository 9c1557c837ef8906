package dev.varve.plugin.cpu;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.NativeOperator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Products of F16 weights by Varve's own kernel. ggml multiplies one column by a dot product with
 * several accumulators, and several columns by kernels with one accumulator, which rounds
 * differently; this kernel multiplies several columns with the accumulators of a single one.
 */
final class ExactColumns implements ColumnProduct {
    /** Elements of a row that the accumulators process at a time, in the widest instruction set. */
    private static final int STEP = 64;

    private final NativeOperator prepare;
    private final NativeOperator multiply;

    /**
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if they cannot be loaded
     */
    ExactColumns(Kernels kernels) {
        prepare = kernels.operator("columns");
        multiply = kernels.operator("product_f16");
    }

    /** Returns the kernel for a processor, if one exists that produces ggml's bits. */
    static Optional<ExactColumns> find(GgmlDevice device, Path library) {
        return Kernels.find(
                device,
                library,
                "ggml multiplies F16 columns one by one",
                ExactColumns::new,
                columns -> columns.agreesWithGgml(device));
    }

    @Override
    public boolean takes(Tensor weight) {
        return weight.type() == GgmlType.F16
                && weight.ne(0) % STEP == 0
                && weight.ne(2) == 1
                && weight.ne(3) == 1
                && weight.isContiguous();
    }

    @Override
    public Tensor prepare(Ops ops, Tensor input) {
        if (input.type() != GgmlType.F32
                || input.ne(0) % STEP != 0
                || input.ne(2) != 1
                || input.ne(3) != 1
                || !input.isContiguous()) {
            throw new IllegalArgumentException(
                    "columns: expected a contiguous F32 matrix with rows in multiples of "
                            + STEP
                            + ", found "
                            + input);
        }
        return ops.custom(prepare, Extents.of(input.ne(0), input.ne(1)), input);
    }

    @Override
    public Tensor multiply(Ops ops, Tensor weight, Tensor prepared) {
        if (!takes(weight)
                || prepared.type() != GgmlType.F32
                || prepared.ne(0) != weight.ne(0)
                || prepared.ne(2) != 1
                || prepared.ne(3) != 1
                || !prepared.isContiguous()) {
            throw new IllegalArgumentException(
                    "product of columns: expected F16 and F32 rows of equal length, found "
                            + weight
                            + " and "
                            + prepared);
        }
        return ops.custom(multiply, Extents.of(weight.ne(1), prepared.ne(1)), weight, prepared);
    }

    /** Compares products of numbers of very different sizes. */
    boolean agreesWithGgml(GgmlDevice device) {
        int length = 5 * STEP;
        int rows = 7;
        int columns = 6;
        try (Backend backend = device.open();
                GgmlContext inputs = GgmlContext.open(2, 0);
                GgmlContext nodes = GgmlContext.open(8, 8);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor weight = inputs.newTensor(GgmlType.F16, length, rows);
            Tensor input = inputs.newTensor(GgmlType.F32, length, columns);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                SplittableRandom random = new SplittableRandom(1);
                short[] halves = new short[length * rows];
                for (int i = 0; i < halves.length; i++) {
                    halves[i] = Float.floatToFloat16(number(random));
                }
                weight.write(halves, 0, halves.length, 0);
                float[] floats = new float[length * columns];
                for (int i = 0; i < floats.length; i++) {
                    floats[i] = number(random);
                }
                input.write(floats, 0, floats.length, 0);
                Ops ops = nodes.ops();
                Tensor planes = ops.reshape3d(input, length, 1, columns);
                Tensor expected = ops.mulMat(weight, planes).markOutput();
                Tensor found = multiply(ops, weight, prepare(ops, input)).markOutput();
                Graph graph = nodes.newGraph(8);
                graph.expand(expected);
                graph.expand(found);
                allocator.allocate(graph);
                backend.setThreads(1);
                backend.compute(graph);
                return Arrays.equals(Samples.bits(expected), Samples.bits(found));
            }
        }
    }

    private static float number(SplittableRandom random) {
        return (float) Math.scalb(random.nextDouble(-1, 1), random.nextInt(-12, 3));
    }
}
