package dev.varve.platform.wire;

/**
 * What went through a channel so far.
 *
 * @param bytesSent bytes of frames and of payloads in shared memory
 * @param bytesReceived likewise
 * @param messagesSent requests, progress messages and results
 * @param messagesReceived likewise
 * @param payloadTransport {@code "shared"} or {@code "stream"}: how large payloads travel
 * @param sharedPayloads payloads that went through shared memory, both directions
 * @param lastRoundTripMicros of the latest ping; 0 before the first
 */
public record WireStatistics(
        long bytesSent,
        long bytesReceived,
        long messagesSent,
        long messagesReceived,
        String payloadTransport,
        long sharedPayloads,
        long lastRoundTripMicros) {}
