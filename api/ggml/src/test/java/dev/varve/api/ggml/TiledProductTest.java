package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

/** Small whole numbers, so that the order of sums does not matter. */
class TiledProductTest {
    private static final int LENGTH = 64;
    private static final int ROWS = 40;

    @BeforeAll
    static void loadGgml() {
        Cpu.device();
    }

    private final Random random = new Random(7);

    @ParameterizedTest
    @CsvSource({"16, 4, 8", "16, 3, 8", "7, 1, 5", "40, 8, 8", "64, 64, 17", "1, 1, 9"})
    void tiledProductEqualsTheWholeProduct(int rows, int columns, int all) {
        try (GgmlContext inputs = GgmlContext.open(3, 0);
                GgmlContext context = GgmlContext.open(2000, 2000);
                Backend backend = Cpu.device().open()) {
            Tensor weight = inputs.newTensor(GgmlType.F32, LENGTH, ROWS);
            Tensor input = inputs.newTensor(GgmlType.F32, LENGTH, all);
            Tensor other = inputs.newTensor(GgmlType.F32, ROWS, all);
            BufferType memory = Cpu.device().bufferType();
            try (DeviceBuffer buffer = inputs.allocate(memory).orElseThrow();
                    GraphAllocator allocator = new GraphAllocator(memory)) {
                buffer.markWeights();
                fill(weight);
                fill(input);
                fill(other);
                Ops ops = context.ops();
                // Something before and behind it, which takes and gives memory.
                Tensor tiled =
                        twice(
                                ops,
                                ops.mulMatTiled(weight, ops.scale(input, 2), rows, columns),
                                other);
                Tensor plain = twice(ops, ops.mulMat(weight, ops.scale(input, 2)), other);
                Graph graph = context.newGraph(2000);
                graph.expand(tiled.markOutput());
                graph.expand(plain.markOutput());
                allocator.reserve(graph);
                allocator.allocate(graph);
                backend.setThreads(2);

                backend.compute(graph);

                assertArrayEquals(values(plain), values(tiled));
            }
        }
    }

    private static Tensor twice(Ops ops, Tensor product, Tensor other) {
        Tensor first = ops.add(product, other);
        return ops.add(first, ops.mul(product, other));
    }

    private void fill(Tensor tensor) {
        float[] values = new float[(int) tensor.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(9) - 4;
        }
        tensor.write(values, 0, values.length, 0);
    }

    private static float[] values(Tensor tensor) {
        float[] values = new float[(int) tensor.elements()];
        tensor.read(values, 0, values.length, 0);
        return values;
    }

    @ParameterizedTest
    @CsvSource({"16, 4, 8", "7, 1, 5", "40, 8, 8", "1, 1, 9"})
    void tensorCountIsWithinTheDeclaredNumber(int rows, int columns, int all) {
        long tiles = (long) Math.ceilDiv(ROWS, rows) * Math.ceilDiv(all, columns);
        try (GgmlContext inputs = GgmlContext.open(2, 0)) {
            Tensor weight = inputs.newTensor(GgmlType.F16, LENGTH, ROWS);
            Tensor input = inputs.newTensor(GgmlType.F32, LENGTH, all);
            try (GgmlContext context = GgmlContext.open((int) Ops.tensorsOfTiles(tiles), 0)) {
                Tensor product = context.ops().mulMatTiled(weight, input, rows, columns);

                assertEquals(ROWS, product.ne(0));
                assertEquals(all, product.ne(1));
            }
        }
    }

    @Test
    void nonMatrixIsRefused() {
        try (GgmlContext context = GgmlContext.open(16, 16)) {
            Tensor weight = context.newTensor(GgmlType.F32, LENGTH, ROWS);
            Tensor planes = context.newTensor(GgmlType.F32, LENGTH, 1, 4);
            Tensor columns = context.newTensor(GgmlType.F32, LENGTH, 4);
            Ops ops = context.ops();

            assertThrows(
                    IllegalArgumentException.class, () -> ops.mulMatTiled(weight, planes, 8, 4));
            assertThrows(
                    IllegalArgumentException.class, () -> ops.mulMatTiled(weight, columns, 0, 4));
        }
    }
}
