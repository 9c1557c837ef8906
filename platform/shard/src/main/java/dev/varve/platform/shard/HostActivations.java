package dev.varve.platform.shard;

/**
 * An activation in this process's memory.
 *
 * @param values {@code F32 [boundaryLength, tokens]}, column after column; not to be modified
 * @param tokens number of columns
 */
public record HostActivations(float[] values, int tokens) implements LayerActivations {
    @Override
    public long bytes() {
        return (long) values.length * Float.BYTES;
    }
}
