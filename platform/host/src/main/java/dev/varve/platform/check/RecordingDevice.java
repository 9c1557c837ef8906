package dev.varve.platform.check;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.OperatorSample;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Computes on another device, and passes on each operator that has another type, shape or layout
 * than those before: with its operands, and what the device computed. Does not own the device. The
 * device's own operators, which are none of ggml, are not used.
 */
final class RecordingDevice implements ComputeDevice {
    /** Receives operators. */
    @FunctionalInterface
    interface Sink {
        /**
         * An operator was computed.
         *
         * @param result values of the device
         */
        void accept(OperatorSample operator, float[] result);
    }

    private final ComputeDevice device;
    private final Sink sink;
    private final Set<String> known = new HashSet<>();

    RecordingDevice(ComputeDevice device, Sink sink) {
        this.device = device;
        this.sink = sink;
    }

    @Override
    public void compute(Graph graph, Phase phase) {
        int nodes = graph.nodes();
        int done = 0;
        for (int i = 0; i < nodes; i++) {
            Optional<String> signature = OperatorSample.signature(graph, i);
            if (signature.isEmpty() || !known.add(signature.get())) {
                continue;
            }
            compute(graph, done, i, phase);
            Optional<OperatorSample> sample = OperatorSample.of(graph, i);
            compute(graph, i, i + 1, phase);
            done = i + 1;
            if (sample.isPresent()) {
                sink.accept(sample.get(), OperatorSample.result(graph, i));
            }
        }
        compute(graph, done, nodes, phase);
    }

    private void compute(Graph graph, int begin, int end, Phase phase) {
        if (begin < end) {
            device.compute(graph.range(begin, end), phase);
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
        return Optional.empty();
    }

    @Override
    public RecurrentOperators recurrentOperators() {
        return RecurrentOperators.NONE;
    }

    @Override
    public Object lock() {
        return device.lock();
    }

    @Override
    public void close() {}
}
