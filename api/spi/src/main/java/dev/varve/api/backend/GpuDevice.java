package dev.varve.api.backend;

import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.Graph;

import java.util.List;
import java.util.function.Consumer;

/**
 * A queue on a device that has its own memory and threads.
 *
 * <p>A software renderer computes each graph in a ggml backend of its own. A backend reuses its
 * descriptor sets and writes only the bindings that a shader reads; the others still name the
 * buffers of earlier graphs, which may be freed, as Vulkan permits. Mesa 22.3 counts references to
 * the buffers of all bindings, and so writes to freed memory. The sets of a new backend are empty.
 */
final class GpuDevice implements ComputeDevice {
    private static final List<String> ORDERED = List.of("cuda:", "hip:");

    private final GgmlDevice device;
    private final DeviceInfo info;
    private final Object lock;
    private final Backend backend;

    /**
     * Whether the device computes a graph after the copies that were queued before it. CUDA and HIP
     * guarantee it, and a software renderer computes in order; of other drivers it is not known.
     */
    private final boolean ordersCopies;

    private boolean closed;

    GpuDevice(GgmlDevice device, DeviceInfo info, Object lock) {
        this.device = device;
        this.info = info;
        this.lock = lock;
        ordersCopies =
                info.hostCores() || ORDERED.stream().anyMatch(each -> info.name().startsWith(each));
        GgmlLibrary.context("opening " + info.name());
        backend = device.open();
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public GgmlDevice ggmlDevice() {
        return device;
    }

    @Override
    public List<BufferType> weightBufferTypes() {
        return List.of(device.bufferType());
    }

    @Override
    public BufferType bufferType() {
        return device.bufferType();
    }

    @Override
    public int threads(Phase phase) {
        return 0;
    }

    /** ggml's call queues the graph and waits for the device. */
    @Override
    public void compute(Graph graph, Phase phase) {
        run(phase, queue -> queue.compute(graph));
    }

    @Override
    public void compute(Graph graph, Phase phase, InputUpload inputs) {
        if (!ordersCopies) {
            ComputeDevice.super.compute(graph, phase, inputs);
            return;
        }
        run(
                phase,
                queue -> queue.compute(inputs.source(), inputs.target(), graph, inputs.hostWork()));
    }

    private void run(Phase phase, Consumer<Backend> computation) {
        GgmlLibrary.context(
                (phase == Phase.PREFILL ? "computing prefill on " : "computing decode on ")
                        .concat(info.name()));
        if (closed) {
            throw new IllegalStateException(info.name() + " is closed");
        }
        if (info.hostCores()) {
            try (Backend fresh = device.open()) {
                computation.accept(fresh);
            }
        } else {
            computation.accept(backend);
        }
    }

    @Override
    public Object lock() {
        return lock;
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (!closed) {
                closed = true;
                backend.close();
            }
        }
    }
}
