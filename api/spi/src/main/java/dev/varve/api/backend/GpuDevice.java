package dev.varve.api.backend;

import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.Graph;

import java.util.List;

/** A queue on a device that has its own memory and threads. */
final class GpuDevice implements ComputeDevice {
    private final GgmlDevice device;
    private final DeviceInfo info;
    private final Object lock;
    private final Backend backend;
    private boolean closed;

    GpuDevice(GgmlDevice device, DeviceInfo info, Object lock) {
        this.device = device;
        this.info = info;
        this.lock = lock;
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
        setContext(phase);
        backend.compute(graph);
    }

    @Override
    public void compute(Graph graph, Phase phase, InputUpload inputs) {
        setContext(phase);
        backend.compute(inputs.source(), inputs.target(), graph, inputs.meanwhile());
    }

    private void setContext(Phase phase) {
        GgmlLibrary.context(
                (phase == Phase.PREFILL ? "computing prefill on " : "computing decode on ")
                        .concat(info.name()));
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
