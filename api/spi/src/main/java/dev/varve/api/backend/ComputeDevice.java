package dev.varve.api.backend;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;

import java.util.List;
import java.util.Optional;

/**
 * An open device with its queue. It computes one graph at a time, from any thread: callers that
 * share a device synchronize on its {@link #lock}. The caller that opened it owns it; {@link
 * #close} frees the queue and its threads, from any thread.
 */
public interface ComputeDevice extends AutoCloseable {
    /** Phase of a request; it selects the number of threads that a graph uses. */
    enum Phase {
        PREFILL,
        DECODE
    }

    /** Facts about the device. */
    DeviceInfo info();

    /** ggml's view of the device: operator support, host mappings. */
    GgmlDevice ggmlDevice();

    /** Buffer types for weights, best first; the last one accepts every tensor. */
    List<BufferType> weightBufferTypes();

    /** Buffer type of caches and compute buffers. */
    BufferType bufferType();

    /** Threads for {@code phase}, or 0 where the device has no such setting. */
    int threads(Phase phase);

    /**
     * Returns the device's own product for a few columns at once; empty where ggml's is as good.
     */
    default Optional<ColumnProduct> columnProduct() {
        return Optional.empty();
    }

    /** Returns the device's own operators for recurrent layers. */
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

    /**
     * Copies the inputs of a graph to the device, computes the graph and waits for it. A device
     * with a queue submits both at once and runs the other work while it computes.
     *
     * @throws dev.varve.api.VarveException of kind BACKEND_FAILED if the backend reports a failure
     * @throws IllegalStateException if the device is closed
     */
    default void compute(Graph graph, Phase phase, InputUpload inputs) {
        inputs.source().copyTo(inputs.target());
        compute(graph, phase);
        inputs.hostWork().run();
    }

    /**
     * Lock that is held while a graph is computed, so that shards on one device never compute at
     * once.
     */
    Object lock();

    /** Closes the device after it acquired {@link #lock}; a second call does nothing. */
    @Override
    void close();
}
