package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;

/** Queues, thread pools and allocators of the processor. */
class BackendTest {
    private final GgmlDevice device = Cpu.device();

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 513, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void threadCountAboveTheGgmlLimitIsRefused(int threads) {
        try (Backend backend = device.open()) {
            refused("threads must be 1 to 512, got " + threads, () -> backend.setThreads(threads));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 50", "513, 50", "1, -1", "1, 101"})
    void poolSettingsOutOfRangeAreRefused(int threads, int poll) {
        refused(
                "a thread pool needs 1 to 512 threads and poll 0 to 100, got "
                        + threads
                        + " and "
                        + poll,
                () -> ThreadPool.open(device, threads, poll));
    }

    @Test
    void threadPoolIsUsedAndFreed() {
        try (Backend backend = device.open();
                ThreadPool pool = ThreadPool.open(device, 2, 0);
                Doubling graph = new Doubling(device)) {
            backend.setThreads(2);
            backend.setThreadPool(Optional.of(pool));
            float first = graph.compute(backend, 3);

            backend.setThreadPool(Optional.empty());
            float second = graph.compute(backend, 4);

            assertEquals(List.of(6f, 8f), List.of(first, second));
        }
    }

    @Test
    void oneGraphIsComputedSeveralTimes() {
        try (Backend backend = device.open();
                Doubling graph = new Doubling(device)) {
            for (int i = 0; i < 50; i++) {
                assertEquals(2f * i, graph.compute(backend, i), "round " + i);
            }
            backend.synchronize();
            assertEquals("CPU", backend.name());
        }
    }

    @Test
    void allocatorKeepsReservedMemory() {
        try (GraphAllocator allocator = new GraphAllocator(device.bufferType());
                GgmlContext context = GgmlContext.open(4, 4)) {
            Tensor a = context.newTensor(GgmlType.F32, 1024);
            Graph graph = context.newGraph(4);
            graph.expand(context.ops().neg(a));
            assertEquals(0, allocator.bufferBytes());

            allocator.reserve(graph);
            long reserved = allocator.bufferBytes();
            allocator.allocate(graph);

            assertTrue(reserved >= 4096, reserved + " bytes");
            assertEquals(reserved, allocator.bufferBytes());
        }
    }

    @Test
    void processorRunsEveryOperatorOfAGraph() {
        try (GgmlContext context = GgmlContext.open(8, 8)) {
            Ops ops = context.ops();
            Tensor weight = context.newTensor(GgmlType.Q8_0, 32, 4).named("blk.0.ffn.weight");
            Tensor product = ops.mulMat(weight, context.newTensor(GgmlType.F32, 32, 2));
            Graph graph = context.newGraph(8);
            graph.expand(ops.rmsNorm(product, 1e-6f));

            assertEquals(Optional.empty(), graph.firstUnsupported(device));
            assertEquals(2, graph.nodes());
            assertEquals(8, graph.maxNodes());
            assertTrue(device.supports(product));
        }
    }

    @Test
    void operatorIsDescribedWithItsOperands() {
        try (GgmlContext context = GgmlContext.open(8, 0)) {
            Ops ops = context.ops();
            Tensor a = context.newTensor(GgmlType.F16, 8, 4).named("a");
            Tensor b = context.newTensor(GgmlType.F32, 8, 2).named("b");

            String described = ops.mulMat(a, b).describeOperator();

            assertTrue(
                    described.endsWith(
                            "F32 [4, 2, 1, 1] of a F16 [8, 4, 1, 1], b F32 [8, 2, 1, 1]"),
                    described);
            assertTrue(described.startsWith("MUL_MAT "), described);
            refused(
                    "is neither a matrix product nor an attention",
                    () -> ops.accumulateF32(ops.neg(b)));
        }
    }

    @Test
    void allocatedWeightCannotBeProbed() {
        try (GgmlContext context = GgmlContext.open(4, 0)) {
            Tensor weight = context.newTensor(GgmlType.F32, 8, 4);
            Tensor product = context.ops().mulMat(weight, context.newTensor(GgmlType.F32, 8));
            BufferType type = device.bufferType();
            assertTrue(device.supportsWeight(type, weight, product));

            try (DeviceBuffer buffer = context.allocate(type).orElseThrow()) {
                refused("is already placed", () -> device.supportsWeight(type, weight, product));
                assertTrue(buffer.size() >= weight.bytes(), buffer.size() + " bytes");
            }
        }
    }

    private static void refused(String part, Executable action) {
        String message = assertThrows(IllegalArgumentException.class, action).getMessage();
        assertTrue(message.contains(part), () -> part + " in: " + message);
    }

    /** Twice a number. */
    private static final class Doubling implements AutoCloseable {
        private final GgmlContext context = GgmlContext.open(4, 4);
        private final GraphAllocator allocator;
        private final Graph graph = context.newGraph(4);
        private final Tensor number = context.newTensor(GgmlType.F32, 1).markInput();
        private final Tensor twice = context.ops().scale(number, 2).markOutput();

        Doubling(GgmlDevice device) {
            allocator = new GraphAllocator(device.bufferType());
            graph.expand(twice);
            allocator.allocate(graph);
        }

        float compute(Backend backend, float value) {
            number.write(new float[] {value}, 0, 1, 0);
            backend.compute(graph);
            float[] result = new float[1];
            twice.read(result, 0, 1, 0);
            return result[0];
        }

        @Override
        public void close() {
            allocator.close();
            context.close();
        }
    }
}
