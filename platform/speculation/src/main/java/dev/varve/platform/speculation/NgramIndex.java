package dev.varve.platform.speculation;

import dev.varve.api.speculation.TokenHistory;

import java.util.Arrays;

/**
 * Index of short runs of tokens in a growing sequence: a hash table with the latest position after
 * each run, and for each position the one before it with the same hash. Memory grows with the
 * sequence, 12 to 24 bytes per token. Runs per token: no boxing. Negative tokens, those of images,
 * separate texts: no run contains one.
 */
final class NgramIndex {
    /** Tokens of the shortest indexed run. */
    static final int SHORTEST = 3;

    /** Maximum compared length of an occurrence. */
    private static final int LONGEST = 64;

    /** Maximum number of compared occurrences, the latest ones. */
    private static final int CANDIDATES = 16;

    private static final int NONE = 0;

    /** Position after the latest run of a hash; {@value #NONE} for none. */
    private int[] heads = new int[256];

    /** By position after a run, the position after an earlier one of the same hash. */
    private int[] earlier = new int[256];

    private int indexed;

    /**
     * The best earlier occurrence of a sequence's last tokens.
     *
     * @param next position of the token that followed it
     * @param length number of common tokens, 0 if there is none
     */
    record Match(int next, int length) {
        static final Match NONE = new Match(0, 0);
    }

    /** Indexes new tokens; the run at the very end is left out until more tokens follow. */
    void extend(TokenHistory tokens) {
        int size = tokens.size();
        if (size > earlier.length) {
            earlier = Arrays.copyOf(earlier, Math.max(size, 2 * earlier.length));
        }
        if (size > heads.length / 2) {
            rehash(tokens, Integer.highestOneBit(size) * 4);
        }
        for (int end = Math.max(indexed + 1, SHORTEST); end < size; end++) {
            add(tokens, end);
        }
        indexed = Math.max(indexed, size - 1);
    }

    private void rehash(TokenHistory tokens, int capacity) {
        heads = new int[capacity];
        for (int end = SHORTEST; end <= indexed; end++) {
            add(tokens, end);
        }
    }

    private void add(TokenHistory tokens, int end) {
        if (!isText(tokens, end)) {
            return;
        }
        int slot = slot(tokens, end);
        earlier[end] = heads[slot];
        heads[slot] = end;
    }

    /** Whether the shortest run before a position has no token of an image. */
    private static boolean isText(TokenHistory tokens, int end) {
        for (int i = end - SHORTEST; i < end; i++) {
            if (tokens.get(i) < 0) {
                return false;
            }
        }
        return true;
    }

    private int slot(TokenHistory tokens, int end) {
        int hash = 0;
        for (int i = end - SHORTEST; i < end; i++) {
            hash = (hash ^ tokens.get(i)) * 0x9E37_79B1;
        }
        return (hash ^ hash >>> 15) & (heads.length - 1);
    }

    /** Returns the longest of the latest occurrences; of equal ones the latest. */
    Match find(TokenHistory tokens) {
        int size = tokens.size();
        if (size < SHORTEST || !isText(tokens, size)) {
            return Match.NONE;
        }
        Match best = Match.NONE;
        int end = heads[slot(tokens, size)];
        for (int i = 0; i < CANDIDATES && end != NONE; i++) {
            int length = common(tokens, end, size);
            if (length >= SHORTEST && length > best.length()) {
                best = new Match(end, length);
            }
            end = earlier[end];
        }
        return best;
    }

    private static int common(TokenHistory tokens, int end, int size) {
        int most = Math.min(end, LONGEST);
        int length = 0;
        while (length < most) {
            int token = tokens.get(end - 1 - length);
            if (token < 0 || token != tokens.get(size - 1 - length)) {
                break;
            }
            length++;
        }
        return length;
    }
}
