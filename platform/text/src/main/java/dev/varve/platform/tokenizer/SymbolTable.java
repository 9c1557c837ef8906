package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

import java.util.Arrays;

/**
 * Byte strings with dense ids in the order of their addition, found by content. Ids below the
 * vocabulary size are tokens; merge rules may name further strings that are no tokens, which have
 * the ids above.
 *
 * <p>One flat array and a hash table of ints: a quarter of a million small objects would cost ten
 * times the memory. Safe to share between threads once it is filled.
 */
final class SymbolTable {
    private static final int NONE = -1;

    /** Stays below the largest array that a JVM can allocate. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    private byte[] bytes;

    /** Symbol i is {@code bytes[offsets[i], offsets[i + 1])}. */
    private int[] offsets;

    private int[] slots;
    private int count;

    SymbolTable(int expectedSymbols) {
        bytes = new byte[1024];
        offsets = new int[expectedSymbols + 2];
        slots = newSlots(Math.max(16, Integer.highestOneBit(Math.max(1, expectedSymbols)) * 4));
    }

    /** Adds a symbol under the next id. A lookup finds the first of equal symbols. */
    int add(byte[] text, int from, int to) {
        reserve(to - from);
        System.arraycopy(text, from, bytes, offsets[count], to - from);
        offsets[count + 1] = offsets[count] + to - from;
        count++;
        if (count * 2L > slots.length) {
            rehash();
        } else {
            enter(count - 1);
        }
        return count - 1;
    }

    /** The id of a symbol, {@code -1} if there is none. */
    int find(byte[] text, int from, int to) {
        for (int slot = hash(text, from, to) & slots.length - 1;
                ;
                slot = slot + 1 & slots.length - 1) {
            int id = slots[slot];
            if (id == NONE || Arrays.equals(bytes, offsets[id], offsets[id + 1], text, from, to)) {
                return id;
            }
        }
    }

    /** The id of the symbol whose text is that of two others, {@code -1} if there is none. */
    int findJoined(int left, int right) {
        int leftFrom = offsets[left];
        int leftTo = offsets[left + 1];
        int rightFrom = offsets[right];
        int rightTo = offsets[right + 1];
        int border = leftTo - leftFrom;
        int length = border + rightTo - rightFrom;
        int hash = finish(mix(mix(0, bytes, leftFrom, leftTo), bytes, rightFrom, rightTo));
        for (int slot = hash & slots.length - 1; ; slot = slot + 1 & slots.length - 1) {
            int id = slots[slot];
            if (id == NONE) {
                return NONE;
            }
            int from = offsets[id];
            if (offsets[id + 1] - from == length
                    && Arrays.equals(bytes, from, from + border, bytes, leftFrom, leftTo)
                    && Arrays.equals(
                            bytes, from + border, from + length, bytes, rightFrom, rightTo)) {
                return id;
            }
        }
    }

    /** Bytes of a symbol. */
    int length(int id) {
        return offsets[id + 1] - offsets[id];
    }

    int findOrAdd(byte[] text, int from, int to) {
        int id = find(text, from, to);
        return id == NONE ? add(text, from, to) : id;
    }

    int find(byte[] text) {
        return find(text, 0, text.length);
    }

    private void enter(int id) {
        int slot = hash(bytes, offsets[id], offsets[id + 1]) & slots.length - 1;
        for (; slots[slot] != NONE; slot = slot + 1 & slots.length - 1) {
            int other = slots[slot];
            if (Arrays.equals(
                    bytes,
                    offsets[other],
                    offsets[other + 1],
                    bytes,
                    offsets[id],
                    offsets[id + 1])) {
                return;
            }
        }
        slots[slot] = id;
    }

    private void rehash() {
        slots = newSlots(slots.length * 2);
        for (int id = 0; id < count; id++) {
            enter(id);
        }
    }

    private void reserve(int length) {
        long needed = (long) offsets[count] + length;
        if (needed > MAX_BYTES) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    "tokenizer.ggml.tokens: the texts exceed " + MAX_BYTES + " bytes");
        }
        if (needed > bytes.length) {
            bytes =
                    Arrays.copyOf(
                            bytes, (int) Math.min(MAX_BYTES, Math.max(needed, bytes.length * 2L)));
        }
        if (count + 2 > offsets.length) {
            offsets = Arrays.copyOf(offsets, offsets.length * 2);
        }
    }

    private static int[] newSlots(int length) {
        int[] slots = new int[length];
        Arrays.fill(slots, NONE);
        return slots;
    }

    static int hash(byte[] text, int from, int to) {
        return finish(mix(0, text, from, to));
    }

    private static int mix(int begun, byte[] text, int from, int to) {
        int hash = begun;
        for (int at = from; at < to; at++) {
            hash = (hash ^ text[at] & 0xFF) * 0x01000193;
        }
        return hash;
    }

    private static int finish(int mixed) {
        int hash = (mixed ^ mixed >>> 15) * 0x2C1B3C6D;
        return hash ^ hash >>> 13;
    }
}
