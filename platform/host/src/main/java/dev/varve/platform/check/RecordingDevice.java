package dev.varve.platform.check;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.OperatorSample;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Computes on another device, and passes on each operator that has another type, shape or layout
 * than those before: with its operands, and what the device computed. Operators that ended an
 * earlier process are computed on the processor. Owns the device. The device's own operators, which
 * are none of ggml, are not used.
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

    /** Operators that several devices of a check recorded, by their signature. */
    static final class Known {
        private final CheckSteps steps;
        private final Set<String> recorded = ConcurrentHashMap.newKeySet();
        private final Set<String> avoided = ConcurrentHashMap.newKeySet();

        Known(CheckSteps steps) {
            this.steps = steps;
        }

        /** Number of operators that were not computed on the device. */
        int avoided() {
            return avoided.size();
        }
    }

    private final ComputeDevice device;
    private final ComputeDevice processor;
    private final Known known;
    private final Sink sink;

    RecordingDevice(ComputeDevice device, ComputeDevice processor, Known known, Sink sink) {
        this.device = device;
        this.processor = processor;
        this.known = known;
        this.sink = sink;
    }

    @Override
    public void compute(Graph graph, Phase phase) {
        int nodes = graph.nodes();
        int done = 0;
        for (int i = 0; i < nodes; i++) {
            Optional<String> signature = OperatorSample.signature(graph, i);
            if (signature.isEmpty()
                    || !known.recorded.add(signature.get())
                            && !known.avoided.contains(signature.get())) {
                continue;
            }
            compute(graph, done, i, phase);
            record(graph, i, signature.get(), phase);
            done = i + 1;
        }
        compute(graph, done, nodes, phase);
    }

    private void record(Graph graph, int index, String signature, Phase phase) {
        Optional<OperatorSample> sample = OperatorSample.of(graph, index);
        if (sample.isEmpty()) {
            compute(graph, index, index + 1, phase);
            return;
        }
        OperatorSample operator = sample.get();
        if (known.avoided.contains(signature)
                || !known.steps.begin(operator.name() + " " + operator.shapes())) {
            known.avoided.add(signature);
            operator.computeInto(graph, index, processor.bufferType(), this::computeElsewhere);
            return;
        }
        compute(graph, index, index + 1, phase);
        float[] result = OperatorSample.result(graph, index);
        known.steps.end();
        sink.accept(operator, result);
    }

    private void computeElsewhere(Graph graph) {
        synchronized (processor.lock()) {
            processor.compute(graph, Phase.DECODE);
        }
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
    public void close() {
        device.close();
    }
}
