package dev.varve.platform.tokenizer;

import java.util.Arrays;

/** A growing array of ints. It is written per token, so it does not box. */
final class IntList {
    private int[] values = new int[64];
    private int size;
    private final int most;

    IntList() {
        this(Integer.MAX_VALUE);
    }

    /** A list of at most {@code most} elements; one more is a {@link TooManyTokensException}. */
    IntList(int most) {
        this.most = most;
    }

    void add(int value) {
        if (size == values.length || size == most) {
            grow(size + 1L);
        }
        values[size++] = value;
    }

    void addAll(int[] more) {
        if (more.length > Math.min(values.length, most) - size) {
            grow((long) size + more.length);
        }
        System.arraycopy(more, 0, values, size, more.length);
        size += more.length;
    }

    private void grow(long wanted) {
        if (wanted > most) {
            throw new TooManyTokensException(most);
        }
        values = Arrays.copyOf(values, (int) Math.clamp(size * 2L, wanted, (long) most));
    }

    int get(int index) {
        return values[index];
    }

    void set(int index, int value) {
        values[index] = value;
    }

    /** Removes all elements from an index on. */
    void truncate(int length) {
        size = length;
    }

    int size() {
        return size;
    }

    int[] toArray() {
        return Arrays.copyOf(values, size);
    }

    int[] toArray(int from) {
        return Arrays.copyOfRange(values, from, size);
    }
}
