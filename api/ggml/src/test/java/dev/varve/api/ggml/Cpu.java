package dev.varve.api.ggml;

import java.nio.file.Path;
import java.util.function.Function;

/** The processor, and small graphs on it. */
final class Cpu {
    private static final int TENSORS = 64;

    private Cpu() {}

    /** The device; loads ggml at the first call. */
    static synchronized GgmlDevice device() {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        GgmlLibrary.load(natives);
        if (GgmlDevice.all().isEmpty()) {
            GgmlLibrary.loadBackendsFrom(natives);
        }
        return GgmlDevice.all().stream()
                .filter(each -> each.kind() == GgmlDevice.Kind.CPU)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Makes inputs, which are filled at once, in one context and the graph over them in another.
     */
    static final class Bench implements AutoCloseable {
        private final GgmlDevice device = device();
        private final GgmlContext inputs = GgmlContext.open(TENSORS, 0);
        private final GgmlContext nodes = GgmlContext.open(TENSORS, TENSORS);
        private final java.util.ArrayDeque<DeviceBuffer> owned = new java.util.ArrayDeque<>();

        /** Operators of the graph. */
        Ops ops() {
            return nodes.ops();
        }

        /** An F32 input of pseudo-random values. */
        Tensor random(int seed, long... shape) {
            Tensor tensor = place(GgmlType.F32, shape);
            float[] values = noise(seed, (int) tensor.elements());
            tensor.write(values, 0, values.length, 0);
            return tensor;
        }

        /** An F32 input. */
        Tensor floats(float[] values, long... shape) {
            Tensor tensor = place(GgmlType.F32, shape);
            tensor.write(values, 0, values.length, 0);
            return tensor;
        }

        /** An I32 input. */
        Tensor ints(int... values) {
            Tensor tensor = place(GgmlType.I32, values.length);
            tensor.write(values, 0, values.length, 0);
            return tensor;
        }

        /** An input with memory of its own. */
        Tensor place(GgmlType type, long... shape) {
            Tensor tensor = inputs.newTensor(type, shape);
            DeviceBuffer buffer = device.bufferType().allocate(tensor.bytes());
            owned.push(buffer);
            buffer.place(tensor, 0);
            return tensor;
        }

        /** Computes one result. */
        float[] compute(Function<Ops, Tensor> recipe) {
            Tensor result = recipe.apply(nodes.ops()).markOutput();
            Graph graph = nodes.newGraph(TENSORS);
            graph.expand(result);
            try (Backend backend = device.open();
                    GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
                backend.setThreads(2);
                allocator.allocate(graph);
                backend.compute(graph);
                float[] values = new float[(int) result.elements()];
                result.read(values, 0, values.length, 0);
                return values;
            }
        }

        @Override
        public void close() {
            nodes.close();
            inputs.close();
            while (!owned.isEmpty()) {
                owned.pop().close();
            }
        }
    }

    /** Values from -0.5 to 0.5 of a linear congruential generator. */
    static float[] noise(int seed, int count) {
        float[] values = new float[count];
        int state = seed;
        for (int i = 0; i < count; i++) {
            state = state * 1664525 + 1013904223;
            values[i] = (state >>> 8 & 0xFFFF) / 65536f - 0.5f;
        }
        return values;
    }
}
