package dev.varve.platform.tokenizer;

import java.util.Arrays;

/** A growing array of ints. Written per token, so without boxing. */
final class IntList {
    private int[] values = new int[64];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    void addAll(int[] more) {
        if (size + more.length > values.length) {
            values = Arrays.copyOf(values, Math.max(size * 2, size + more.length));
        }
        System.arraycopy(more, 0, values, size, more.length);
        size += more.length;
    }

    int get(int index) {
        return values[index];
    }

    void set(int index, int value) {
        values[index] = value;
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
