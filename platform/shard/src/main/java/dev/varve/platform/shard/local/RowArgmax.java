package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.Tensor;

/**
 * Finds the largest element of a row without copying the row as a whole: it is read in parts that
 * stay in the first-level cache. Floats are compared as integers of the same order, which the
 * compiler turns into vector instructions. Runs per token: plain loops over a reused buffer. For
 * one thread.
 */
final class RowArgmax {
    private static final int PART = 4096;
    private static final int MAGNITUDE = 0x7fffffff;
    private static final int INFINITY = Float.floatToRawIntBits(Float.POSITIVE_INFINITY);

    private static final int NEGATIVE_INFINITY =
            ordered(Float.floatToRawIntBits(Float.NEGATIVE_INFINITY));

    private static final int NEGATIVE_ZERO = -1;

    private final int[] part;

    /** Source of the bits of floats, such as {@link Tensor#readBits}. */
    @FunctionalInterface
    interface FloatBitsSource {
        /**
         * Reads {@code count} elements, from {@code first} on, into the target at {@code offset}.
         */
        void read(int[] target, int offset, int count, long first);
    }

    /**
     * @param partLength number of elements per read
     */
    RowArgmax(int partLength) {
        part = new int[partLength];
    }

    /**
     * Creates an instance for rows in a kind of memory.
     *
     * @param type memory of the rows; memory that only a device reaches is read a row at a time,
     *     since each read is a transfer of its own
     */
    static RowArgmax of(BufferType type, int rowLength) {
        return new RowArgmax(type.isHost() ? PART : rowLength);
    }

    /**
     * Returns the index of the largest of {@code count} elements from {@code first} on, the lowest
     * on ties; -1 if one is NaN or none is finite.
     */
    int find(FloatBitsSource tensor, long first, int count) {
        int largest = Integer.MIN_VALUE;
        int smallest = Integer.MAX_VALUE;
        int bestPart = 0;
        for (int begin = 0; begin < count; begin += part.length) {
            int length = read(tensor, first, begin, count);
            int max = Integer.MIN_VALUE;
            int min = Integer.MAX_VALUE;
            for (int i = 0; i < length; i++) {
                int value = ordered(part[i]);
                max = Math.max(max, value);
                min = Math.min(min, value);
            }
            smallest = Math.min(smallest, min);
            if (max > largest) {
                largest = max;
                bestPart = begin;
            }
        }
        // In this order a NaN is beyond the infinity of its sign.
        if (largest >= INFINITY || largest <= NEGATIVE_INFINITY || smallest < NEGATIVE_INFINITY) {
            return -1;
        }
        // Both zeros are equal, and the lower index may be in an earlier part.
        boolean zero = largest == 0 || largest == NEGATIVE_ZERO;
        for (int begin = zero ? 0 : bestPart; begin < count; begin += part.length) {
            int length = count <= part.length ? count : read(tensor, first, begin, count);
            for (int i = 0; i < length; i++) {
                int value = ordered(part[i]);
                if (value == largest || zero && (value == 0 || value == NEGATIVE_ZERO)) {
                    return begin + i;
                }
            }
        }
        return -1;
    }

    private int read(FloatBitsSource tensor, long first, int begin, int count) {
        int length = Math.min(part.length, count - begin);
        tensor.read(part, 0, length, first + begin);
        return length;
    }

    /** Bits as an integer of the same order; its own inverse. */
    private static int ordered(int bits) {
        return bits ^ ((bits >> 31) & MAGNITUDE);
    }
}
