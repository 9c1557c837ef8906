package dev.varve.platform.shard;

/**
 * Activation between two layers, {@code F32 [boundaryLength, tokens]}, column after column. Where
 * it lies is its own affair: what is not a {@link HostActivations} is fetched by {@link #values}.
 */
public interface LayerActivations {
    /** Number of columns. */
    int tokens();

    /** Number of bytes. */
    long bytes();

    /** The values; not to be modified. Fetched first where they are on a device. */
    float[] values();
}
