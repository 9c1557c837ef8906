package dev.varve.platform.remote;

/** Keeps one array for rows of logits, since a new one per token would keep the collector busy. */
final class LogitsBuffer {
    private static final float[] NONE = new float[0];

    private float[] kept = NONE;

    float[] none() {
        return NONE;
    }

    float[] of(int size) {
        if (kept.length < size) {
            kept = new float[size];
        }
        return kept;
    }
}
