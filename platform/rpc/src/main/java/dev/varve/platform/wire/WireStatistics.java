package dev.varve.platform.wire;

/**
 * Traffic of a channel so far.
 *
 * @param bytesSent bytes of frames and of payloads in shared memory
 * @param bytesReceived likewise
 * @param payloadTransport transport of large payloads
 * @param sharedPayloads payloads that went through shared memory, both directions
 */
public record WireStatistics(
        long bytesSent,
        long bytesReceived,
        PayloadTransport payloadTransport,
        long sharedPayloads) {}
