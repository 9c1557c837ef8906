package dev.varve.platform.shard;

/** Activation between two layers, {@code F32 [boundaryLength, tokens]}, column after column. */
public sealed interface Boundary permits HostBoundary, DeviceBoundary {
    /** Number of columns. */
    int tokens();

    /** Number of bytes. */
    long bytes();

    /** The values; not to be modified. Fetched first where they are on a device. */
    float[] values();
}
