package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Quantizer;
import dev.varve.api.ggml.RowConversion;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.placement.DeviceReference;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Compares products with weights of the types of model files, which the demo models do not have,
 * with plain loops in double precision.
 */
final class ProductChecks {
    private static final int LENGTH = 512;
    private static final int ROWS = 96;

    /** Columns of which kernels differ: one, a few, and a tile. */
    private static final int[] COLUMNS = {1, 2, 3, 5, 8, 9, 40};

    private static final List<GgmlType> QUICK =
            List.of(GgmlType.BF16, GgmlType.Q4_0, GgmlType.Q8_0, GgmlType.Q4_K, GgmlType.Q6_K);

    private static final List<GgmlType> MORE =
            List.of(
                    GgmlType.Q4_1,
                    GgmlType.Q5_0,
                    GgmlType.Q5_1,
                    GgmlType.Q2_K,
                    GgmlType.Q3_K,
                    GgmlType.Q5_K,
                    GgmlType.IQ4_NL,
                    GgmlType.IQ4_XS,
                    GgmlType.MXFP4);

    private final CheckSetup setup;
    private final DeviceReference device;

    ProductChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    List<Check> checks() {
        List<GgmlType> types = new ArrayList<>(QUICK);
        if (setup.isFull()) {
            types.addAll(MORE);
        }
        return types.stream()
                .map(
                        type ->
                                new Check(
                                        CheckGroup.OPERATORS,
                                        "products with " + type.ggufName(),
                                        () -> run(type)))
                .toList();
    }

    private Verdict run(GgmlType type) {
        try (ComputeDevice opened = setup.open(device)) {
            return run(opened, type, setup.steps());
        }
    }

    /** Checks the products of a device with weights of a type. */
    private static Verdict run(ComputeDevice device, GgmlType type, CheckSteps steps) {
        double bound = ErrorBounds.ofWeights(type);
        double worst = 0;
        int at = 0;
        int avoided = 0;
        byte[] weights = Quantizer.quantize(type, random(LENGTH * ROWS, type.id()), LENGTH);
        float[] known = new float[LENGTH * ROWS];
        RowConversion.toFloats(type, ByteBuffer.wrap(weights), known);
        for (int columns : COLUMNS) {
            if (!steps.begin("products of " + type.ggufName() + " with " + columns + " columns")) {
                avoided++;
                continue;
            }
            float[] input = random(LENGTH * columns, columns);
            float[] expected = OperatorReference.product(known, input, ROWS);
            double error =
                    RelativeError.of(expected, product(device, type, weights, input, columns));
            steps.end();
            if (at == 0 || error > worst) {
                worst = error;
                at = columns;
            }
        }
        if (avoided == COLUMNS.length) {
            return Verdict.skipped("each number of columns ended a process");
        }
        return Verdict.of(
                worst <= bound,
                String.format(Locale.ROOT, "error up to %.0e", bound),
                String.format(Locale.ROOT, "%.1e, with %d columns", worst, at)
                        + (avoided == 0
                                ? ""
                                : "; without "
                                        + avoided
                                        + " of "
                                        + COLUMNS.length
                                        + " numbers of columns, which ended a process"));
    }

    private static float[] random(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static float[] product(
            ComputeDevice device, GgmlType type, byte[] weights, float[] input, int columns) {
        try (GgmlContext operands = GgmlContext.open(2, 0);
                GgmlContext nodes = GgmlContext.open(4, 8);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor a = operands.newTensor(type, LENGTH, ROWS);
            Tensor b = operands.newTensor(GgmlType.F32, LENGTH, columns);
            try (DeviceBuffer buffer = operands.allocate(device.bufferType()).orElseThrow()) {
                buffer.clear();
                a.writeBytes(weights, 0, weights.length, 0);
                b.write(input, 0, input.length, 0);
                Tensor product = nodes.ops().mulMat(a, b).markOutput();
                Graph graph = nodes.newGraph(8);
                graph.expand(product);
                allocator.allocate(graph);
                synchronized (device.lock()) {
                    device.compute(graph, Phase.DECODE);
                }
                float[] values = new float[ROWS * columns];
                product.read(values, 0, values.length, 0);
                return values;
            }
        }
    }
}
