package dev.varve.platform.engine;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Shard;

import jdk.jfr.FlightRecorder;

/**
 * Records one batch in one shard for the flight recorder. Java prepares all its own events when a
 * program loads the first event class, so no event class is loaded until a recording was started.
 */
@FunctionalInterface
interface ForwardRecording {
    /** Records nothing. */
    ForwardRecording NONE = successful -> {};

    /** Ends the measurement, and records it if a recording is running. */
    void end(boolean successful);

    /** Begins to measure a batch. */
    static ForwardRecording begin(Shard shard, Batch batch) {
        return FlightRecorder.isInitialized() ? ForwardEvent.begin(shard, batch) : NONE;
    }
}
