package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.AttentionOptions;
import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.ggml.ThreadPool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** The parts of a graph separate nodes whose results depend on the thread count from the rest. */
class GraphPartsTest {
    private static final int LENGTH = 64;
    private static final int HEADS = 8;
    private static final int NODES = 16;
    private static final int THREADS = 3;

    @TempDir Path cache;
    private final SplittableRandom random = new SplittableRandom(1);

    private ComputeDevice open() {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        return new CpuBackendProvider()
                .open(new BackendOptions(cache, Optional.of(natives), false))
                .open(0, DeviceOptions.automatic());
    }

    @Test
    void attentionToManyCellsIsAPartForAllThreads() {
        try (ComputeDevice device = open();
                GgmlContext inputs = GgmlContext.open(4, 0);
                GgmlContext nodes = GgmlContext.open(NODES, NODES);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor states = inputs.newTensor(GgmlType.F32, LENGTH, HEADS);
            Tensor weight = inputs.newTensor(GgmlType.F32, LENGTH, LENGTH);
            Tensor keys = inputs.newTensor(GgmlType.F16, LENGTH, 1024, HEADS);
            Tensor values = inputs.newTensor(GgmlType.F16, LENGTH, 1024, HEADS);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                assertTrue(buffer.size() > 0);
                fillSingle(states);
                fillSingle(weight);
                fillHalf(keys);
                fillHalf(values);
                Tensor result = block(nodes.ops(), states, weight, keys, values).markOutput();
                Graph graph = nodes.newGraph(NODES);
                graph.expand(result);
                allocator.allocate(graph);

                assertTrue(graph.dependsOnThreads());
                assertEquals(
                        List.of(false, true, false),
                        graph.parts().stream().map(Graph.Part::dependsOnThreads).toList());
                assertEquals(
                        graph.nodes(),
                        graph.parts().stream().mapToInt(part -> part.graph().nodes()).sum());
                assertSameNumbers(device, graph, result);
            }
        }
    }

    /** A block with nodes before and after its attention. */
    private static Tensor block(Ops ops, Tensor states, Tensor weight, Tensor keys, Tensor values) {
        Tensor query = ops.reshape3d(ops.mulMat(weight, states), LENGTH, 1, HEADS);
        Tensor attended =
                ops.flashAttention(
                        query,
                        keys,
                        values,
                        Optional.empty(),
                        AttentionOptions.scaled((float) (1 / Math.sqrt(LENGTH))));
        return ops.mulMat(weight, ops.reshape2d(attended, LENGTH, HEADS));
    }

    private static void assertSameNumbers(ComputeDevice device, Graph graph, Tensor result) {
        try (Backend all = device.ggmlDevice().open();
                Backend one = device.ggmlDevice().open();
                ThreadPool pool = ThreadPool.open(device.ggmlDevice(), THREADS, 0)) {
            one.setThreads(1);
            all.setThreads(THREADS);
            all.setThreadPool(Optional.of(pool));
            all.compute(graph);
            float[] whole = numbers(result);
            result.zero();
            for (Graph.Part part : graph.parts()) {
                (part.dependsOnThreads() ? all : one).compute(part.graph());
            }
            all.setThreadPool(Optional.empty());

            assertArrayEquals(whole, numbers(result));
        }
    }

    private static float[] numbers(Tensor tensor) {
        float[] numbers = new float[(int) tensor.elements()];
        tensor.read(numbers, 0, numbers.length, 0);
        return numbers;
    }

    private void fillSingle(Tensor tensor) {
        float[] numbers = new float[(int) tensor.elements()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = next();
        }
        tensor.write(numbers, 0, numbers.length, 0);
    }

    private void fillHalf(Tensor tensor) {
        short[] numbers = new short[(int) tensor.elements()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Float.floatToFloat16(next());
        }
        tensor.write(numbers, 0, numbers.length, 0);
    }

    private float next() {
        return (float) (random.nextDouble() - 0.5);
    }
}
