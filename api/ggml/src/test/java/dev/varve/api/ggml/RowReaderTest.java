package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Effort;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;

class RowReaderTest {
    private static final int LENGTH = 512;
    private static final int ROWS = 5;

    /** Not a multiple of any block, as offsets in a file with a small alignment may be. */
    private static final int OFFSET = 7;

    /** Types for which search tables are prepared for seconds, before the first row. */
    private static final Set<GgmlType> SLOW = Set.of(GgmlType.IQ1_M, GgmlType.IQ2_S);

    @TempDir Path folder;

    @BeforeAll
    static void load() {
        Cpu.device();
    }

    /** Without the types whose conversion from floats needs an importance matrix. */
    static Stream<GgmlType> types() {
        Set<GgmlType> needMatrix = Set.of(GgmlType.IQ2_XXS, GgmlType.IQ2_XS, GgmlType.IQ1_S);
        return Arrays.stream(GgmlType.values())
                .filter(GgmlType::isWeightType)
                .filter(type -> !needMatrix.contains(type))
                .filter(type -> Effort.isFull() || !SLOW.contains(type));
    }

    @ParameterizedTest
    @MethodSource("types")
    void rowsMatchGetRowsOfTheProcessor(GgmlType type) throws IOException {
        byte[] table = Quantizer.quantize(type, Cpu.noise(11, ROWS * LENGTH), LENGTH);
        int[] ids = {4, 0, 2, 2};
        float[] expected = lookUp(type, table, ids);

        float[] actual = new float[1 + ids.length * LENGTH];
        try (MappedFile file = MappedFile.open(write(table));
                RowReader rows = RowReader.open(file, OFFSET, type, LENGTH, ROWS)) {
            assertEquals(LENGTH, rows.rowLength());
            for (int i = 0; i < ids.length; i++) {
                rows.read(ids[i], actual, 1 + i * LENGTH);
            }
        }

        assertEquals(0, actual[0], "what lies in front of the target");
        assertArrayEquals(expected, Arrays.copyOfRange(actual, 1, actual.length), type.name());
    }

    @Test
    void tableOutsideOfTheFileIsRefused() throws IOException {
        try (MappedFile file = MappedFile.open(write(new byte[LENGTH * Float.BYTES * 2]))) {
            RowReader.open(file, OFFSET, GgmlType.F32, LENGTH, 2).close();

            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> RowReader.open(file, OFFSET + 1, GgmlType.F32, LENGTH, 2));
            assertThrows(
                    ArithmeticException.class,
                    () -> RowReader.open(file, 0, GgmlType.F32, LENGTH, Long.MAX_VALUE));
        }
    }

    @Test
    void partialBlocksAndNonNumericRowsAreRefused() throws IOException {
        try (MappedFile file = MappedFile.open(write(new byte[64]))) {
            String message =
                    assertThrows(
                                    IllegalArgumentException.class,
                                    () -> RowReader.open(file, 0, GgmlType.Q8_0, 33, 1))
                            .getMessage();

            assertTrue(message.endsWith("q8_0 cannot have rows of 33 elements"), message);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> RowReader.open(file, 0, GgmlType.I32, 4, 1));
        }
    }

    @Test
    void rowsAndTargetsOutOfRangeAreRefused() throws IOException {
        try (MappedFile file = MappedFile.open(write(new byte[4 * Float.BYTES]));
                RowReader rows = RowReader.open(file, 0, GgmlType.F32, 2, 2)) {
            float[] target = new float[2];

            assertThrows(IndexOutOfBoundsException.class, () -> rows.read(2, target, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> rows.read(-1, target, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> rows.read(0, target, 1));
        }
    }

    private Path write(byte[] table) throws IOException {
        byte[] content = new byte[OFFSET + table.length];
        System.arraycopy(table, 0, content, OFFSET, table.length);
        return Files.write(folder.resolve("table.bin"), content);
    }

    private static float[] lookUp(GgmlType type, byte[] table, int[] ids) {
        try (GgmlContext inputs = GgmlContext.open(2, 0);
                GgmlContext nodes = GgmlContext.open(8, 8);
                GraphAllocator allocator = new GraphAllocator(Cpu.device().bufferType());
                Backend backend = Cpu.device().open()) {
            Tensor weights = inputs.newTensor(type, LENGTH, ROWS);
            Tensor rows = inputs.newTensor(GgmlType.I32, ids.length);
            try (DeviceBuffer buffer = inputs.allocate(Cpu.device().bufferType()).orElseThrow()) {
                assertTrue(buffer.size() >= table.length);
                weights.writeBytes(table, 0, table.length, 0);
                rows.write(ids, 0, ids.length, 0);
                Tensor result = nodes.ops().getRows(weights, rows).markOutput();
                Graph graph = nodes.newGraph(8);
                graph.expand(result);
                allocator.allocate(graph);
                backend.compute(graph);
                float[] values = new float[ids.length * LENGTH];
                result.read(values, 0, values.length, 0);
                return values;
            }
        }
    }
}
