package dev.varve.platform.shard;

/**
 * Activations between two layers, {@code F32 [boundaryLength, tokens]}, column after column. An
 * implementation other than {@link HostActivations} may hold them elsewhere; {@link #values}
 * fetches them.
 */
public interface LayerActivations {
    /** Number of columns. */
    int tokens();

    /** Number of bytes. */
    long bytes();

    /** Returns the values; not to be modified. Fetches them first if they are on a device. */
    float[] values();
}
