package dev.varve.platform.shard;

import dev.varve.api.ggml.Tensor;

/**
 * Finds the largest element of a row without copying the row as a whole: it is read in parts that
 * stay in the first-level cache. Runs per token: plain loops over a reused buffer. For one thread.
 */
final class RowArgmax {
    private static final int PART = 4096;

    private final float[] part = new float[PART];

    /**
     * Index of the largest of {@code count} elements from {@code first} on, the lowest on ties; -1
     * if one is NaN.
     */
    int find(Tensor tensor, long first, int count) {
        float largest = Float.NEGATIVE_INFINITY;
        int bestPart = 0;
        for (int begin = 0; begin < count; begin += PART) {
            float max = max(read(tensor, first, begin, count));
            if (max > largest) {
                largest = max;
                bestPart = begin;
            } else if (Float.isNaN(max)) {
                return -1;
            }
        }
        int length = read(tensor, first, bestPart, count);
        for (int i = 0; i < length; i++) {
            if (part[i] == largest) {
                return Float.isInfinite(largest) ? -1 : bestPart + i;
            }
        }
        return -1;
    }

    private int read(Tensor tensor, long first, int begin, int count) {
        int length = Math.min(PART, count - begin);
        tensor.read(part, 0, length, first + begin);
        return length;
    }

    /** NaN if one element is: {@link Math#max} hands it on. */
    private float max(int length) {
        float max = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < length; i++) {
            max = Math.max(max, part[i]);
        }
        return max;
    }
}
