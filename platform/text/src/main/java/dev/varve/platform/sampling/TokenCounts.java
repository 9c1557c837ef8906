package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * Number of occurrences of each token: a hash table with open addressing, since this is read per
 * token and must not box.
 */
final class TokenCounts {
    private static final int EMPTY = -1;

    private int[] tokens = emptyTable(1024);
    private int[] counts = new int[1024];
    private int distinct;

    /** Receives each token and its count. */
    @FunctionalInterface
    interface Visitor {
        void visit(int token, int count);
    }

    void add(int token) {
        int slot = slotOf(token);
        if (tokens[slot] == EMPTY) {
            tokens[slot] = token;
            distinct++;
        }
        counts[slot]++;
        if (distinct * 2 > tokens.length) {
            grow();
        }
    }

    boolean isEmpty() {
        return distinct == 0;
    }

    void forEach(Visitor visitor) {
        for (int slot = 0; slot < tokens.length; slot++) {
            if (tokens[slot] != EMPTY) {
                visitor.visit(tokens[slot], counts[slot]);
            }
        }
    }

    private int slotOf(int token) {
        int mask = tokens.length - 1;
        int slot = (token * 0x9E3779B1) >>> 8 & mask;
        while (tokens[slot] != EMPTY && tokens[slot] != token) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        int[] oldTokens = tokens;
        int[] oldCounts = counts;
        tokens = emptyTable(oldTokens.length * 2);
        counts = new int[oldTokens.length * 2];
        for (int slot = 0; slot < oldTokens.length; slot++) {
            if (oldTokens[slot] != EMPTY) {
                int moved = slotOf(oldTokens[slot]);
                tokens[moved] = oldTokens[slot];
                counts[moved] = oldCounts[slot];
            }
        }
    }

    private static int[] emptyTable(int length) {
        int[] table = new int[length];
        Arrays.fill(table, EMPTY);
        return table;
    }
}
