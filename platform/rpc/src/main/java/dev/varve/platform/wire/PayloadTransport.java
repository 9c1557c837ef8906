package dev.varve.platform.wire;

/** Transport of the large payloads of a channel. */
public enum PayloadTransport {
    /** Through memory that both processes map. */
    SHARED,
    /** Through the connection itself. */
    STREAM
}
