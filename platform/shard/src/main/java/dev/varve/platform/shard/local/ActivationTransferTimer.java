package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.local.ActivationTransferRecording.Direction;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Measures the time for moving activations into and out of a shard's device. Used per token; for
 * one thread at a time, except {@link #millis}, which any thread may call.
 */
final class ActivationTransferTimer {
    private final String device;
    private final LayerRange range;
    private volatile long nanos;

    ActivationTransferTimer(String device, LayerRange range) {
        this.device = device;
        this.range = range;
    }

    double millis() {
        return nanos / 1e6;
    }

    /** Moves the activation of the previous shard, if any, into the graph. */
    void moveIn(Optional<LayerActivations> activation, Consumer<LayerActivations> graph) {
        if (activation.isEmpty()) {
            return;
        }
        ActivationTransferRecording recording = recording(Direction.IN);
        long begin = System.nanoTime();
        graph.accept(activation.get());
        add(begin);
        recording.end(activation.get());
    }

    /** Moves the activation for the next shard, if any, out of the graph. */
    Optional<LayerActivations> moveOut(Supplier<Optional<LayerActivations>> graph) {
        ActivationTransferRecording recording = recording(Direction.OUT);
        long begin = System.nanoTime();
        Optional<LayerActivations> activation = graph.get();
        if (activation.isPresent()) {
            add(begin);
            recording.end(activation.get());
        }
        return activation;
    }

    private ActivationTransferRecording recording(Direction direction) {
        return ActivationTransferRecording.begin(device, range, direction);
    }

    private void add(long begin) {
        nanos += System.nanoTime() - begin;
    }
}
