package dev.varve.platform.compression.selection;

import java.util.Arrays;

/**
 * Finds n-grams in a text, all of them in one pass, with a rolling hash and a hash table of the
 * n-grams. Tokens are compared whenever hashes are equal, so hash collisions cause no false match.
 * Runs per token.
 */
final class NgramSearch {
    private static final long BASE = 0x9E3779B97F4A7C15L;

    private final int[] ids;
    private final int length;
    private final long base;

    /** {@code base} to the power of {@code length - 1}: the weight of an n-gram's first token. */
    private final long firstWeight;

    /** For each slot the number of an n-gram plus 1; 0 if it is free. */
    private int[] slots = new int[256];

    /** For each n-gram a position where it occurs. */
    private int[] places = new int[64];

    private int runs;

    /**
     * @param ids of the text; not copied
     * @param length tokens of an n-gram
     */
    NgramSearch(int[] ids, int length) {
        this(ids, length, BASE);
    }

    /**
     * @param base base of the hash polynomial
     */
    NgramSearch(int[] ids, int length, long base) {
        this.ids = ids;
        this.length = length;
        this.base = base;
        long weight = 1;
        for (int i = 1; i < length; i++) {
            weight *= base;
        }
        firstWeight = weight;
    }

    /** Adds every n-gram within a range to the search. */
    void add(TokenRange range) {
        int last = Math.min(range.end(), ids.length) - length;
        if (range.begin() > last) {
            return;
        }
        long hash = hash(range.begin());
        for (int at = range.begin(); at <= last; at++) {
            add(hash, at);
            hash = at < last ? roll(hash, at) : hash;
        }
    }

    /**
     * Returns the positions before {@code end} of the n-grams that occur at no more than {@code
     * mostHits} positions there.
     *
     * @param end n-grams must begin before this position
     * @return ascending
     */
    int[] find(int end, int mostHits) {
        int last = Math.min(end, ids.length - length + 1) - 1;
        if (last < 0 || runs == 0) {
            return new int[0];
        }
        int[] found = new int[last + 1];
        int[] counts = new int[runs];
        long hash = hash(0);
        for (int at = 0; at <= last; at++) {
            found[at] = slots[slot(hash, at)];
            if (found[at] > 0) {
                counts[found[at] - 1]++;
            }
            hash = at < last ? roll(hash, at) : hash;
        }
        int hits = 0;
        for (int at = 0; at <= last; at++) {
            if (found[at] > 0 && counts[found[at] - 1] <= mostHits) {
                // Writes only to entries that were already read.
                found[hits++] = at;
            }
        }
        return Arrays.copyOf(found, hits);
    }

    private void add(long hash, int at) {
        if (slots[slot(hash, at)] > 0) {
            return;
        }
        if (2 * (runs + 1) > slots.length) {
            grow();
        }
        slots[slot(hash, at)] = runs + 1;
        if (runs == places.length) {
            places = Arrays.copyOf(places, 2 * runs);
        }
        places[runs++] = at;
    }

    private void grow() {
        slots = new int[2 * slots.length];
        for (int run = 0; run < runs; run++) {
            slots[slot(hash(places[run]), places[run])] = run + 1;
        }
    }

    /** Returns the slot of the n-gram at a position, or the free slot for it. */
    private int slot(long hash, int at) {
        int slot = (int) ((hash * BASE) >>> 32) & (slots.length - 1);
        while (slots[slot] > 0 && !isSame(places[slots[slot] - 1], at)) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private boolean isSame(int place, int at) {
        return Arrays.equals(ids, place, place + length, ids, at, at + length);
    }

    private long hash(int at) {
        long hash = 0;
        for (int i = at; i < at + length; i++) {
            hash = hash * base + ids[i];
        }
        return hash;
    }

    /** Returns the hash of the next n-gram from the hash of the one at a position. */
    private long roll(long hash, int at) {
        return (hash - ids[at] * firstWeight) * base + ids[at + length];
    }
}
