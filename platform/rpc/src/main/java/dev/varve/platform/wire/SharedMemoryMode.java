package dev.varve.platform.wire;

/** How large payloads travel between two processes of one machine. */
public enum SharedMemoryMode {
    /** In shared memory where that works, else in the stream. */
    AUTO,
    /** Always in the stream. */
    STREAM,
    /** In shared memory, or there is no connection. */
    SHARED
}
