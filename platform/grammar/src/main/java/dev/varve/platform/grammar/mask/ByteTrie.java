package dev.varve.platform.grammar.mask;

import java.util.Arrays;

/**
 * Byte strings as a trie in depth-first order. Node i stands for {@link #label} after its parent;
 * its subtree is {@code [i, end[i])}. The strings are numbered in ascending order, starting at a
 * given number; {@code first[i]} is the number of the first string at node i or below. Immutable.
 */
final class ByteTrie {
    final byte[] label;
    final int[] end;
    final short[] depth;

    /** Has one entry more than nodes. */
    final int[] first;

    final int deepest;

    private ByteTrie(byte[] label, int[] end, short[] depth, int[] first) {
        this.label = label;
        this.end = end;
        this.depth = depth;
        this.first = first;
        int most = 0;
        for (short each : depth) {
            most = Math.max(most, each);
        }
        deepest = most;
    }

    int size() {
        return label.length;
    }

    /**
     * Builds a trie.
     *
     * @param strings ascending as unsigned bytes, none empty; equal ones share a node
     * @param base number of the first one
     */
    static ByteTrie of(byte[][] strings, int base) {
        return new Builder().build(strings, base);
    }

    /** A trie under construction. */
    private static final class Builder {
        private byte[] label = new byte[64];
        private int[] end = new int[64];
        private short[] depth = new short[64];
        private int[] first = new int[64];
        private int size;

        private ByteTrie build(byte[][] strings, int base) {
            int longest = Arrays.stream(strings).mapToInt(text -> text.length).max().orElse(0);
            int[] path = new int[longest];
            byte[] before = {};
            for (int number = 0; number < strings.length; number++) {
                byte[] text = strings[number];
                int mismatch = Arrays.mismatch(before, text);
                int common = mismatch < 0 ? text.length : mismatch;
                close(path, common, before.length);
                for (int at = common; at < text.length; at++) {
                    path[at] = add(text[at], at + 1, base + number);
                }
                before = text;
            }
            close(path, 0, before.length);
            int[] firsts = Arrays.copyOf(first, size + 1);
            firsts[size] = base + strings.length;
            return new ByteTrie(
                    Arrays.copyOf(label, size),
                    Arrays.copyOf(end, size),
                    Arrays.copyOf(depth, size),
                    firsts);
        }

        private void close(int[] path, int from, int to) {
            for (int at = from; at < to; at++) {
                end[path[at]] = size;
            }
        }

        private int add(byte value, int level, int number) {
            if (size == label.length - 1) {
                label = Arrays.copyOf(label, size * 2);
                end = Arrays.copyOf(end, size * 2);
                depth = Arrays.copyOf(depth, size * 2);
                first = Arrays.copyOf(first, size * 2);
            }
            label[size] = value;
            depth[size] = (short) level;
            first[size] = number;
            return size++;
        }
    }
}
