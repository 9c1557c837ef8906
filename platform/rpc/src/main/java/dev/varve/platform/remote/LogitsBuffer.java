package dev.varve.platform.remote;

/** Reuses one array for rows of logits; a new one per token would load the garbage collector. */
final class LogitsBuffer {
    private static final float[] NONE = new float[0];

    private float[] buffer = NONE;

    float[] none() {
        return NONE;
    }

    float[] of(int size) {
        if (buffer.length < size) {
            buffer = new float[size];
        }
        return buffer;
    }
}
