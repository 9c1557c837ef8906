package dev.varve.bench;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;

import java.util.List;
import java.util.Optional;

/** Passes all calls to another device, except computations. Closes that device. */
abstract class DelegatingDevice implements ComputeDevice {
    private final ComputeDevice device;

    DelegatingDevice(ComputeDevice device) {
        this.device = device;
    }

    /** The other device. */
    final ComputeDevice device() {
        return device;
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
