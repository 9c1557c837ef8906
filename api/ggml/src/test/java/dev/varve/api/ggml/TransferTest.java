package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Data between the heap, files and tensors. */
class TransferTest {
    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1 << 10, 300_000, (1 << 20) - 8, (1 << 20) + 8, 3_333_333})
    void clearedBufferHoldsZerosUpToItsEdges(int floats) {
        try (GgmlContext context = GgmlContext.open(3, 0)) {
            Tensor before = context.newTensor(GgmlType.F32, floats);
            Tensor tensor = context.newTensor(GgmlType.F32, floats);
            float[] ones = new float[floats];
            Arrays.fill(ones, 1);
            try (DeviceBuffer other = Cpu.device().bufferType().allocate(4L * floats + 64);
                    DeviceBuffer buffer = Cpu.device().bufferType().allocate(4L * floats + 64)) {
                other.place(before, 0);
                buffer.place(tensor, 32);
                before.write(ones, 0, floats, 0);
                tensor.write(ones, 0, floats, 0);

                buffer.clear();

                float[] read = new float[floats];
                tensor.read(read, 0, floats, 0);
                assertArrayEquals(new float[floats], read);
                before.read(read, 0, floats, 0);
                assertArrayEquals(ones, read);
                tensor.write(ones, 0, floats, 0);
                tensor.read(read, 0, floats, 0);
                assertArrayEquals(ones, read);
            }
        }
    }

    @Test
    void floatsAreWrittenAndReadAtOffsets() {
        with(
                GgmlType.F32,
                8,
                tensor -> {
                    tensor.write(new float[8], 0, 8, 0);
                    tensor.write(new float[] {9, 1, 2, 3, 9}, 1, 3, 4);

                    float[] all = new float[8];
                    tensor.read(all, 0, 8, 0);
                    assertArrayEquals(new float[] {0, 0, 0, 0, 1, 2, 3, 0}, all);
                    float[] part = new float[4];
                    tensor.read(part, 2, 2, 5);
                    assertArrayEquals(new float[] {0, 0, 2, 3}, part);
                });
    }

    @Test
    void integersHalvesAndBytesAreWritten() {
        with(
                GgmlType.I32,
                4,
                tensor -> {
                    tensor.write(new int[] {1, -2, 3, Integer.MIN_VALUE}, 0, 4, 0);
                    int[] read = new int[4];
                    tensor.read(read, 0, 4, 0);
                    assertArrayEquals(new int[] {1, -2, 3, Integer.MIN_VALUE}, read);
                });
        with(
                GgmlType.I64,
                2,
                tensor -> {
                    tensor.write(new long[] {Long.MIN_VALUE, 5}, 0, 2, 0);
                    byte[] read = new byte[8];
                    tensor.readBytes(read, 0, 8, 8);
                    assertArrayEquals(new byte[] {5, 0, 0, 0, 0, 0, 0, 0}, read);
                });
        with(
                GgmlType.F16,
                4,
                tensor -> {
                    tensor.writeBytes(new byte[8], 0, 8, 0);
                    tensor.write(new short[] {0x3C00}, 0, 1, 3);
                    byte[] read = new byte[8];
                    tensor.readBytes(read, 0, 8, 0);
                    assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 0x3C}, read);
                });
    }

    @Test
    void transfersBeyondTheTensorOrTheArrayAreRefused() {
        with(
                GgmlType.F32,
                8,
                tensor -> {
                    float[] array = new float[16];
                    for (long first :
                            new long[] {-1, 1, 9, Long.MAX_VALUE, 1L << 62, (1L << 62) - 8}) {
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> tensor.write(array, 0, 8, first));
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> tensor.read(array, 0, 8, first));
                    }
                    assertThrows(
                            IllegalArgumentException.class, () -> tensor.read(array, 0, -1, 0));
                    assertThrows(IllegalArgumentException.class, () -> tensor.read(array, 0, 9, 0));
                    assertThrows(
                            IndexOutOfBoundsException.class, () -> tensor.read(array, 12, 8, 0));
                    assertThrows(
                            IndexOutOfBoundsException.class, () -> tensor.write(array, -1, 8, 0));
                });
    }

    @Test
    void heapAndDirectBuffersAreTransferredFromPositionToLimit() {
        byte[] content = {1, 2, 3, 4, 5, 6, 7, 8};
        for (ByteBuffer source :
                List.of(
                        ByteBuffer.wrap(content),
                        ByteBuffer.wrap(content).asReadOnlyBuffer(),
                        ByteBuffer.allocateDirect(8).put(content).flip())) {
            for (ByteBuffer target :
                    List.of(ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8))) {
                with(
                        GgmlType.F16,
                        8,
                        tensor -> {
                            tensor.writeBytes(new byte[16], 0, 16, 0);

                            tensor.writeBytes(source.position(2).limit(7), 11);
                            tensor.readBytes(target.position(1).limit(7), 10);

                            assertEquals(7, source.position());
                            assertEquals(7, target.position());
                            assertEquals(
                                    ByteBuffer.wrap(new byte[] {0, 0, 3, 4, 5, 6, 7, 0}),
                                    target.duplicate().clear());
                        });
            }
        }
    }

    @Test
    void buffersBeyondTheTensorAreRefusedAndKeepTheirPositions() {
        with(
                GgmlType.F32,
                8,
                tensor -> {
                    ByteBuffer buffer = ByteBuffer.allocate(16);
                    for (long first : new long[] {-1, 17, 32, Long.MAX_VALUE, Long.MIN_VALUE}) {
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> tensor.writeBytes(buffer, first));
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> tensor.readBytes(buffer, first));
                    }
                    assertEquals(0, buffer.position());
                    tensor.writeBytes(buffer, 16);
                    tensor.readBytes(buffer.flip(), 16);
                });
    }

    @Test
    void mismatchedElementTypeIsRefused() {
        with(
                GgmlType.F32,
                8,
                tensor -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> tensor.write(new int[8], 0, 8, 0));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> tensor.write(new long[8], 0, 4, 0));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> tensor.write(new short[8], 0, 8, 0));
                    assertThrows(
                            IllegalArgumentException.class, () -> tensor.read(new int[8], 0, 8, 0));
                });
    }

    @Test
    void unallocatedTensorCannotBeReadOrWritten() {
        Cpu.device();
        try (GgmlContext context = GgmlContext.open(1, 0)) {
            Tensor tensor = context.newTensor(GgmlType.F32, 4).named("lonely");
            assertTrue(
                    assertThrows(
                                    IllegalStateException.class,
                                    () -> tensor.read(new float[4], 0, 4, 0))
                            .getMessage()
                            .contains("lonely F32 [4, 1, 1, 1] has no data"));
            assertThrows(IllegalStateException.class, () -> tensor.write(new float[4], 0, 4, 0));
        }
    }

    @Test
    void longNamesAreTruncated() {
        Cpu.device();
        try (GgmlContext context = GgmlContext.open(1, 0)) {
            Tensor tensor = context.newTensor(GgmlType.F32, 4);
            assertEquals("n".repeat(63), tensor.named("n".repeat(100)).name());
            assertEquals("short", tensor.named("short").name());
        }
    }

    @Test
    void mappedWeightsAreReadAgainAfterTheirPagesAreReleased() throws IOException {
        int floats = 8 * 4096;
        ByteBuffer content =
                ByteBuffer.allocate(floats * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        float[] expected = Cpu.noise(3, floats);
        for (float value : expected) {
            content.putFloat(value);
        }
        Path path = Files.write(folder.resolve("weights"), content.array());
        GgmlDevice device = Cpu.device();
        assertTrue(device.supportsHostBuffers());

        try (MappedFile file = MappedFile.open(path);
                GgmlContext context = GgmlContext.open(2, 0);
                DeviceBuffer buffer = device.mapHostMemory(file, 0, file.size(), file.size())) {
            Tensor tensor = context.newTensor(GgmlType.F32, floats);
            buffer.place(tensor, 0);
            buffer.markWeights();
            float[] read = new float[floats];
            tensor.read(read, 0, floats, 0);
            assertArrayEquals(expected, read);

            file.releasePages(100, file.size() - 200);
            file.releasePages(0, 10);
            tensor.read(read, 0, floats, 0);
            assertArrayEquals(expected, read);
            assertThrows(
                    IllegalArgumentException.class, () -> device.mapHostMemory(file, 4, 64, 64));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> device.mapHostMemory(file, 0, file.size() + 1, file.size()));

            try (DeviceBuffer copied = device.bufferType().allocate(file.size())) {
                Tensor copy = context.newTensor(GgmlType.F32, 1024);
                copied.place(copy, 0);
                copy.upload(file, 4096, 4096);
                float[] part = new float[1024];
                copy.read(part, 0, 1024, 0);
                assertArrayEquals(java.util.Arrays.copyOfRange(expected, 1024, 2048), part);
                assertThrows(IllegalArgumentException.class, () -> copy.upload(file, 0, 4095));
                assertThrows(
                        IndexOutOfBoundsException.class,
                        () -> copy.upload(file, file.size() - 4, 4096));
            }
        }
    }

    @Test
    void fileThatCannotBeMappedIsNamed() {
        VarveException error =
                assertThrows(VarveException.class, () -> MappedFile.open(folder.resolve("absent")));
        assertEquals(VarveException.Kind.UNREADABLE_FILE, error.kind());
        assertTrue(error.getMessage().contains("absent"), error.getMessage());
    }

    @Test
    void closedMappingCannotBeUsed() throws IOException {
        MappedFile file = MappedFile.open(Files.write(folder.resolve("file"), new byte[8192]));
        file.close();
        file.close();
        assertThrows(IllegalStateException.class, () -> file.releasePages(0, 8192));
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "F32", "F16", "BF16", "Q8_0", "Q6_K", "Q5_K", "Q4_K", "Q4_0", "Q5_1", "IQ4_XS"
            })
    void quantizedRowsRoundTripApproximately(GgmlType type) {
        float[] values = Cpu.noise(11, 512);
        byte[] quantized = Quantizer.quantize(type, values, 256);
        try (Cpu.Bench bench = new Cpu.Bench()) {
            Tensor rows = bench.place(type, 256, 2);
            rows.writeBytes(quantized, 0, quantized.length, 0);
            Tensor ids = bench.ints(1, 0);

            float[] found = bench.compute(ops -> ops.getRows(rows, ids));

            double error = 0;
            for (int i = 0; i < values.length; i++) {
                error += Math.abs(values[(i + 256) % 512] - found[i]) / values.length;
            }
            double bits = type.typeSize() * 8.0 / type.blockSize();
            assertTrue(error <= Math.pow(2, -bits) + 0.005, type + ": mean error " + error);
        }
    }

    @Test
    void deviceReportsItsMemoryAndFeatures() {
        GgmlDevice device = Cpu.device();
        assertTrue(device.memoryTotal() > 0 && device.memoryFree() <= device.memoryTotal());
        assertTrue(!device.features().isEmpty());
        assertEquals(32, device.bufferType().alignment());
        assertTrue(device.bufferType().isHost());
        assertTrue(
                device.extraBufferTypes().stream()
                        .allMatch(type -> List.of("CPU_REPACK", "AMX").contains(type.name())));
    }

    private static void with(GgmlType type, long elements, Consumer<Tensor> action) {
        GgmlDevice device = Cpu.device();
        try (GgmlContext context = GgmlContext.open(1, 0)) {
            Tensor tensor = context.newTensor(type, elements);
            try (DeviceBuffer buffer = context.allocate(device.bufferType()).orElseThrow()) {
                assertTrue(buffer.size() >= tensor.bytes());
                action.accept(tensor);
            }
        }
    }
}
