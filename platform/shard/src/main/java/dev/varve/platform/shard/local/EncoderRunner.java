package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.DeviceTurn;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Computes the graphs of an encoder, each of which is used once, on a device that shards use too.
 * All graphs use the same memory, one after the other. Thread-safe.
 */
public final class EncoderRunner implements AutoCloseable {
    private final String input;
    private final ComputeDevice device;
    private final Duration turn;
    private final ShardWeights weights;
    private final Runnable release;
    private final GraphAllocator allocator;

    /** Held for a whole graph: the next one uses the same memory. */
    private final ReentrantLock memory = new ReentrantLock();

    private volatile boolean closed;
    private volatile long allocatedBytes;
    private volatile long turns;
    private boolean freed;

    /**
     * A graph with its memory and inputs.
     *
     * @param parts the graph, divided between its operators
     * @param result F32, read after the last part
     */
    public record Recorded(List<Graph> parts, Tensor result) {
        /** Copies the list. */
        public Recorded {
            parts = List.copyOf(parts);
        }
    }

    /**
     * @param input name of the encoder's inputs in messages, such as {@code image}
     * @param device owned by the caller
     * @param turn time after which the device is released for others
     * @param weights closed with the runner
     */
    public EncoderRunner(String input, ComputeDevice device, Duration turn, ShardWeights weights) {
        this(input, device, turn, weights, weights::close);
    }

    /**
     * @param release releases the weights when the runner is closed
     */
    EncoderRunner(
            String input,
            ComputeDevice device,
            Duration turn,
            ShardWeights weights,
            Runnable release) {
        this.release = release;
        this.input = input;
        this.device = device;
        this.turn = turn;
        this.weights = weights;
        allocator = new GraphAllocator(device.bufferType());
    }

    /**
     * Computes a graph. The device computes for others between its parts.
     *
     * @param tensors most tensors of the graph
     * @param recorder records the graph and calls {@link #allocate}, while it holds the device
     * @param cancelled whether the result is no longer needed, asked from time to time
     * @return the elements of the result
     * @throws VarveException of kind OUT_OF_MEMORY if the graph needs more memory than is free,
     *     BACKEND_FAILED if the device fails, UNAVAILABLE if the runner is closed
     * @throws CancellationException if it was cancelled
     */
    public float[] run(
            int tensors, Function<GgmlContext, Recorded> recorder, BooleanSupplier cancelled) {
        memory.lock();
        try {
            requireWanted(cancelled);
            try (GgmlContext context = GgmlContext.open(tensors, tensors)) {
                return compute(() -> recorder.apply(context), cancelled);
            }
        } finally {
            memory.unlock();
        }
    }

    private void requireWanted(BooleanSupplier cancelled) {
        if (closed) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, "the encoder of " + input + "s is closed");
        }
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("the " + input + " is no longer needed");
        }
    }

    private float[] compute(Supplier<Recorded> recorder, BooleanSupplier cancelled) {
        Recorded recorded =
                DeviceTurn.take(
                        device.lock(),
                        () -> {
                            weights.requireWhole();
                            return recorder.get();
                        });
        int done = 0;
        while (done < recorded.parts().size()) {
            requireWanted(cancelled);
            int first = done;
            done = DeviceTurn.take(device.lock(), () -> computeTurn(recorded.parts(), first));
        }
        float[] values = new float[Math.toIntExact(recorded.result().elements())];
        DeviceTurn.take(
                device.lock(),
                () -> {
                    recorded.result().read(values, 0, values.length, 0);
                    return values;
                });
        return values;
    }

    /** Computes parts until the time of a turn is over; returns the number of all done ones. */
    private int computeTurn(List<Graph> parts, int first) {
        weights.requireWhole();
        long begin = System.nanoTime();
        long last = 0;
        long passed = 0;
        int done = first;
        do {
            device.compute(parts.get(done), Phase.PREFILL);
            done++;
            long now = System.nanoTime() - begin;
            last = now - passed;
            passed = now;
        } while (done < parts.size() && passed + last <= turn.toNanos());
        turns = turns + 1;
        return done;
    }

    /**
     * Allocates the memory of a graph.
     *
     * @throws VarveException of kind UNAVAILABLE if the device lacks an operator, OUT_OF_MEMORY if
     *     the memory is not free
     */
    public void allocate(Graph graph) {
        requireSupported(graph);
        allocator.reserve(graph);
        allocator.allocate(graph);
        allocatedBytes = allocator.bufferBytes();
    }

    private void requireSupported(Graph graph) {
        if (device.ggmlDevice().kind() == GgmlDevice.Kind.CPU) {
            return;
        }
        graph.firstUnsupported(device.ggmlDevice())
                .ifPresent(
                        operator -> {
                            throw new VarveException(
                                    VarveException.Kind.UNAVAILABLE,
                                    String.format(
                                            Locale.ROOT,
                                            "%s does not run %s of the %s encoder",
                                            device.info().name(),
                                            operator,
                                            input));
                        });
    }

    /** Bytes of memory for results, as the largest graph so far needed them. */
    public long allocatedBytes() {
        return allocatedBytes;
    }

    /** Number of times that the device was taken for parts of graphs. */
    public long turns() {
        return turns;
    }

    @Override
    public void close() {
        closed = true;
        memory.lock();
        try {
            DeviceTurn.take(
                    device.lock(),
                    () -> {
                        free();
                        return freed;
                    });
        } finally {
            memory.unlock();
        }
    }

    private void free() {
        if (!freed) {
            freed = true;
            allocator.close();
            release.run();
        }
    }
}
