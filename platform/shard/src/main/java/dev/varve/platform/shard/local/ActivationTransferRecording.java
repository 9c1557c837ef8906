package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.LayerActivations;

import jdk.jfr.FlightRecorder;

/**
 * Records one move of activations for the flight recorder. Java prepares all its own events when a
 * program loads the first event class, so no event class is loaded until a recording was started.
 */
@FunctionalInterface
interface ActivationTransferRecording {
    /** Records nothing. */
    ActivationTransferRecording NONE = activations -> {};

    /** Direction of the move. */
    enum Direction {
        IN,
        OUT
    }

    /** Ends the measurement, and records it if a recording is running. */
    void end(LayerActivations activations);

    /** Begins to measure a move into or out of a range of layers on a device. */
    static ActivationTransferRecording begin(String device, LayerRange range, Direction direction) {
        return FlightRecorder.isInitialized()
                ? ActivationTransferEvent.begin(device, range, direction)
                : NONE;
    }
}
