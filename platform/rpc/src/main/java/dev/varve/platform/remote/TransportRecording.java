package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;

import jdk.jfr.FlightRecorder;

/**
 * Records one batch that another process computes for the flight recorder. Java prepares all its
 * own events when a program loads the first event class, so no event class is loaded until a
 * recording was started.
 */
@FunctionalInterface
interface TransportRecording {
    /** Records nothing. */
    TransportRecording NONE = (request, reply, computeNanos) -> {};

    /**
     * Ends the measurement, and records it if a recording is running.
     *
     * @param computeNanos time that the other process spent computing
     */
    void end(Message request, Message reply, long computeNanos);

    /** Begins to measure a batch that is sent to a device. */
    static TransportRecording begin(String device) {
        return FlightRecorder.isInitialized() ? TransportEvent.begin(device) : NONE;
    }
}
