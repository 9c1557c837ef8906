package dev.varve.bench;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;

import java.util.List;
import java.util.Optional;

/** A device that adds up the time inside ggml, so that the rest of a step is Varve's time. */
final class TimedDevice implements ComputeDevice {
    private final ComputeDevice device;
    private volatile long decodeNanos;

    TimedDevice(ComputeDevice device) {
        this.device = device;
    }

    /** Time inside ggml for decode graphs so far. */
    long decodeNanos() {
        return decodeNanos;
    }

    @Override
    public void compute(Graph graph, Phase phase) {
        long begin = System.nanoTime();
        device.compute(graph, phase);
        if (phase == Phase.DECODE) {
            // One engine thread writes.
            decodeNanos = decodeNanos + System.nanoTime() - begin;
        }
    }

    @Override
    public DeviceInfo info() {
        return device.info();
    }

    @Override
    public GgmlDevice ggmlDevice() {
        return device.ggmlDevice();
    }

    @Override
    public List<BufferType> weightBufferTypes() {
        return device.weightBufferTypes();
    }

    @Override
    public BufferType bufferType() {
        return device.bufferType();
    }

    @Override
    public int threads(Phase phase) {
        return device.threads(phase);
    }

    @Override
    public Optional<ColumnProduct> columnProduct() {
        return device.columnProduct();
    }

    @Override
    public RecurrentOperators recurrentOperators() {
        return device.recurrentOperators();
    }

    @Override
    public Object lock() {
        return device.lock();
    }

    @Override
    public void close() {
        device.close();
    }
}
