package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A test that uses or closes an owner too early gets an exception. It never reaches freed memory.
 */
class LifetimeTest {
    private final BufferType type = Cpu.device().bufferType();

    @Test
    void tensorIsInvalidAfterItsContextIsClosed() {
        GgmlContext context = GgmlContext.open(4, 4);
        Graph graph = context.newGraph(4);
        Tensor tensor = context.newTensor(GgmlType.F32, 8).named("gone");

        context.close();

        ended("the context is closed", tensor::name);
        ended("the context is closed", tensor::isPlaced);
        ended("the context is closed", () -> graph.expand(tensor));
        ended("the context is closed", graph::nodes);
        ended("the context is closed", () -> context.ops().neg(tensor));
        assertEquals(8, tensor.ne(0));
        assertTrue(tensor.toString().contains("closed"), tensor.toString());
    }

    @Test
    void dataIsInvalidAfterItsBufferIsClosedAlsoForViews() {
        try (GgmlContext context = GgmlContext.open(4, 0)) {
            Tensor tensor = context.newTensor(GgmlType.F32, 8);
            DeviceBuffer buffer = context.allocate(type).orElseThrow();
            Tensor view = context.ops().view1d(tensor, 4, 16);
            tensor.zero();

            buffer.close();

            ended("the buffer is closed", () -> tensor.read(new float[8], 0, 8, 0));
            ended("the buffer is closed", () -> tensor.write(new float[8], 0, 8, 0));
            ended("the buffer is closed", () -> view.read(new float[4], 0, 4, 0));
            ended("the buffer is closed", tensor::zero);
        }
    }

    @Test
    void mappingWithABufferCannotBeClosed(@TempDir Path folder) throws IOException {
        Path path = Files.write(folder.resolve("weights"), new byte[8192]);
        MappedFile file = MappedFile.open(path);
        DeviceBuffer buffer = Cpu.device().mapHostMemory(file, 0, 8192, 8192);

        ended("1 buffers over the mapping are open", file::close);

        buffer.close();
        buffer.close();
        file.close();
        file.close();
        ended("the file is closed", () -> file.prefetch(0, 1));
    }

    @Test
    void rangesOutsideOfAMappingAreRefused(@TempDir Path folder) throws IOException {
        Path path = Files.write(folder.resolve("weights"), new byte[8192]);
        try (MappedFile file = MappedFile.open(path)) {
            file.prefetch(1, 8191);
            file.releasePages(0, 8192);
            assertThrows(IndexOutOfBoundsException.class, () -> file.prefetch(1, 8192));
            assertThrows(IndexOutOfBoundsException.class, () -> file.releasePages(-1, 1));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> file.prefetch(Long.MAX_VALUE, Long.MAX_VALUE));
        }
    }

    @Test
    void emptyAllocationIsNoError() {
        try (GgmlContext context = GgmlContext.open(1, 0)) {
            assertEquals(Optional.empty(), context.allocate(type));
        }
    }

    @Test
    void failedAllocationIsReported() {
        try (GgmlContext context = GgmlContext.open(1, 0)) {
            context.newTensor(GgmlType.F32, 1L << 50);

            VarveException error = assertThrows(VarveException.class, () -> context.allocate(type));

            assertEquals(VarveException.Kind.OUT_OF_MEMORY, error.kind());
            assertTrue(
                    error.getMessage().startsWith("CPU: cannot allocate " + (1L << 52)),
                    error.getMessage());
        }
        VarveException error = assertThrows(VarveException.class, () -> type.allocate(1L << 52));
        assertEquals(VarveException.Kind.OUT_OF_MEMORY, error.kind());
        assertThrows(IllegalArgumentException.class, () -> type.allocate(-1));
    }

    @Test
    void foreignContextOperatorsAreRefusedButForeignTensorsAreAccepted() {
        try (GgmlContext weights = GgmlContext.open(4, 0);
                GgmlContext nodes = GgmlContext.open(4, 4)) {
            Tensor weight = weights.newTensor(GgmlType.F32, 8);
            Tensor foreign = weights.ops().neg(weight);

            nodes.ops().neg(weight);

            assertThrows(IllegalArgumentException.class, () -> nodes.ops().neg(foreign));
        }
    }

    @Test
    void contextBufferRefusesOtherTensors() {
        try (GgmlContext context = GgmlContext.open(2, 0)) {
            context.newTensor(GgmlType.F32, 64);
            try (DeviceBuffer buffer = context.allocate(type).orElseThrow()) {
                Tensor late = context.newTensor(GgmlType.F32, 8);

                ended("holds the tensors of a context", () -> buffer.place(late, 0));
            }
        }
    }

    @Test
    void tensorsAreZeroedAndReportTheirSize() {
        try (GgmlContext context = GgmlContext.open(1, 0)) {
            Tensor tensor = context.newTensor(GgmlType.F16, 5, 3);
            assertEquals(30, tensor.bytes());
            assertEquals(30, type.allocationSize(tensor));
            assertFalse(tensor.isPlaced());
            try (DeviceBuffer buffer = context.allocate(type).orElseThrow()) {
                tensor.write(new short[] {1, 2, 3}, 0, 3, 12);
                short[] halves = new short[3];
                tensor.read(halves, 0, 3, 12);
                assertArrayEquals(new short[] {1, 2, 3}, halves);

                tensor.zero();

                tensor.read(halves, 0, 3, 12);
                assertArrayEquals(new short[3], halves);
                assertTrue(buffer.size() >= 30);
            }
        }
    }

    @Test
    void bufferTypesOfTheSameMemoryAreEqual() {
        assertEquals(Cpu.device().bufferType(), type);
        assertEquals(Cpu.device().bufferType().hashCode(), type.hashCode());
        Cpu.device()
                .extraBufferTypes()
                .forEach(extra -> assertFalse(extra.equals(type), extra.name()));
    }

    private static void ended(String part, Executable action) {
        String message = assertThrows(IllegalStateException.class, action).getMessage();
        assertTrue(message.contains(part), () -> part + " in: " + message);
    }
}
