package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A device without ggml: it has a name and is closed once. */
record PlainDevice(DeviceInfo info, CompletableFuture<Void> closed) implements ComputeDevice {
    @Override
    public GgmlDevice ggmlDevice() {
        throw noGgml();
    }

    @Override
    public List<BufferType> weightBufferTypes() {
        throw noGgml();
    }

    @Override
    public BufferType bufferType() {
        throw noGgml();
    }

    @Override
    public int threads(Phase phase) {
        return 1;
    }

    @Override
    public void compute(Graph graph, Phase phase) {
        throw noGgml();
    }

    @Override
    public Object lock() {
        return this;
    }

    @Override
    public void close() {
        if (!closed.complete(null)) {
            throw new IllegalStateException(info.name() + " is closed twice");
        }
    }

    private static UnsupportedOperationException noGgml() {
        return new UnsupportedOperationException("plain shards compute without ggml");
    }
}
