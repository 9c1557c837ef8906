package dev.varve.platform.wire;

/** Whether large payloads between two processes of one machine use shared memory. */
public enum SharedMemoryMode {
    /** Shared memory where it works, else the stream. */
    AUTO,
    /** Always the stream. */
    STREAM,
    /** Shared memory; without it the connection fails. */
    SHARED
}
