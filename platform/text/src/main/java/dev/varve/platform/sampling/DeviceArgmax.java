package dev.varve.platform.sampling;

import dev.varve.api.VarveException;

/**
 * The highest logit of each block of {@value #BLOCK} tokens and of the whole row. Runs per token.
 */
final class DeviceArgmax {
    static final int BLOCK = 512;

    private final int length;
    private final float[] blocks;
    private float highest;

    DeviceArgmax(int length) {
        this.length = length;
        this.blocks = new float[Math.ceilDiv(length, BLOCK)];
    }

    /**
     * Scans a row.
     *
     * @throws VarveException if a logit is NaN or the highest one is not finite
     */
    void scan(float[] row, int offset) {
        float best = Float.NEGATIVE_INFINITY;
        for (int block = 0; block < blocks.length; block++) {
            blocks[block] = highest(row, offset + begin(block), offset + end(block));
            best = Math.max(best, blocks[block]);
        }
        highest = requireFinite(best, length);
    }

    int count() {
        return blocks.length;
    }

    int begin(int block) {
        return block * BLOCK;
    }

    int end(int block) {
        return Math.min(length, begin(block) + BLOCK);
    }

    float block(int block) {
        return blocks[block];
    }

    float highest() {
        return highest;
    }

    void copyTo(float[] target) {
        System.arraycopy(blocks, 0, target, 0, blocks.length);
    }

    /** Returns the first index of the highest value, counted from {@code offset}. */
    static int argmax(float[] row, int offset, int length) {
        float best = Float.NEGATIVE_INFINITY;
        int bestBegin = offset;
        int limit = offset + length;
        for (int begin = offset; begin < limit; begin += BLOCK) {
            float found = highest(row, begin, Math.min(limit, begin + BLOCK));
            if (!(found <= best)) { // true for NaN, too, which then stays: nothing is above it
                if (Float.isNaN(found)) {
                    requireFinite(found, length);
                }
                best = found;
                bestBegin = begin;
            }
        }
        requireFinite(best, length);
        int index = bestBegin;
        while (row[index] != best) {
            index++;
        }
        return index - offset;
    }

    /**
     * Returns the highest value, or NaN if any value is NaN. A plain reduction, which the JIT
     * vectorises.
     */
    private static float highest(float[] row, int begin, int end) {
        float highest = Float.NEGATIVE_INFINITY;
        for (int i = begin; i < end; i++) {
            highest = Math.max(highest, row[i]);
        }
        return highest;
    }

    private static float requireFinite(float highest, int length) {
        if (!Float.isFinite(highest)) {
            throw new VarveException(
                    VarveException.Kind.BACKEND_FAILED,
                    "the model produced a logit that is not a number: the highest of "
                            + length
                            + " logits is "
                            + highest);
        }
        return highest;
    }
}
