package dev.varve.platform.shard;

import java.util.Arrays;

/**
 * Arrays for rows of logits, which results use in turn; a new array per token would load the
 * garbage collector. For one thread at a time. Runs per token.
 */
public final class LogitsBuffers {
    private static final float[] NONE = new float[0];

    private float[][] buffers = {NONE};
    private int latest;

    /** Creates a single array, of length 0. */
    public LogitsBuffers() {
        // The array grows with the first result.
    }

    /**
     * Keeps the logits of some results.
     *
     * @param results number of latest results with logits whose arrays are not reused, at least 1
     */
    public void keep(int results) {
        if (results < 1) {
            throw new IllegalArgumentException("results must be positive, got " + results);
        }
        buffers = new float[results][];
        Arrays.fill(buffers, NONE);
        latest = 0;
    }

    /** Returns the array of the next result. */
    public float[] next(int size) {
        latest = (latest + 1) % buffers.length;
        if (buffers[latest].length < size) {
            buffers[latest] = new float[size];
        }
        return buffers[latest];
    }

    /** Returns the array of the latest result with logits; empty before the first one. */
    public float[] latest() {
        return buffers[latest];
    }
}
