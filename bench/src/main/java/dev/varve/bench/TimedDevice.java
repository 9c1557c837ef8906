package dev.varve.bench;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.InputUpload;
import dev.varve.api.ggml.Graph;

/** A device that adds up the time inside ggml, so that the rest of a step is Varve's time. */
final class TimedDevice extends DelegatingDevice {
    private volatile long decodeNanos;

    TimedDevice(ComputeDevice device) {
        super(device);
    }

    /** Time inside ggml for decode graphs so far. */
    long decodeNanos() {
        return decodeNanos;
    }

    @Override
    public void compute(Graph graph, Phase phase) {
        long begin = System.nanoTime();
        device().compute(graph, phase);
        count(phase, begin);
    }

    @Override
    public void compute(Graph graph, Phase phase, InputUpload inputs) {
        long begin = System.nanoTime();
        device().compute(graph, phase, inputs);
        count(phase, begin);
    }

    private void count(Phase phase, long begin) {
        if (phase == Phase.DECODE) {
            // One engine thread writes.
            decodeNanos = decodeNanos + System.nanoTime() - begin;
        }
    }
}
