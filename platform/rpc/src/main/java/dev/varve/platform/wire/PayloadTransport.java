package dev.varve.platform.wire;

/** How the large payloads of a channel travel. */
public enum PayloadTransport {
    /** Through memory that both processes map. */
    SHARED,
    /** Through the connection itself. */
    STREAM
}
