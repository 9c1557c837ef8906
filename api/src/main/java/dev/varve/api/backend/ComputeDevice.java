package dev.varve.api.backend;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;

import java.util.List;
import java.util.Optional;

/**
 * An open device with its queue. One graph at a time, from any thread: callers that share a device
 * take turns on its {@link #lock}. Owned by who opened it; {@link #close} frees the queue and its
 * threads, from any thread.
 */
public interface ComputeDevice extends AutoCloseable {
    /** Which of a device's thread counts a graph uses. */
    enum Phase {
        PREFILL,
        DECODE
    }

    /** Facts about the device. */
    DeviceInfo info();

    /** ggml's view of the device: operator support, host mappings. */
    GgmlDevice ggmlDevice();

    /** Buffer types for weights, best first; the last one takes every tensor. */
    List<BufferType> weightBufferTypes();

    /** Buffer type of caches and compute buffers. */
    BufferType bufferType();

    /** Threads for {@code phase}, or 0 where the device has no such setting. */
    int threads(Phase phase);

    /** A product of the device's own for a few columns together; empty where ggml's is as good. */
    default Optional<ColumnProduct> columnProduct() {
        return Optional.empty();
    }

    /** What the device has of its own for recurrent layers. */
    default RecurrentOperators recurrentOperators() {
        return RecurrentOperators.NONE;
    }

    /**
     * Computes a graph and waits for it.
     *
     * @throws dev.varve.api.VarveException of kind BACKEND_FAILED if the backend reports a failure
     * @throws IllegalStateException if the device is closed
     */
    void compute(Graph graph, Phase phase);

    /** Held while graphs are computed, so that shards on one device never compute at once. */
    Object lock();

    /** Waits for its turn on {@link #lock}; a second call does nothing. */
    @Override
    void close();
}
