package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

import java.util.Arrays;

/**
 * The merge rules of a vocabulary: result and priority for two neighbouring symbols.
 *
 * <p>A hash table over pairs of symbol ids in plain arrays, since it is read several times per byte
 * of a prompt.
 */
final class MergeTable implements MergeRules {
    private static final long NO_PAIR = -1;

    private final long[] pairs;
    private final int[] ranks;

    /** The result of the rule with a rank. */
    private final int[] merged;

    private final int shift;

    private MergeTable(int rules) {
        int bits = 33 - Integer.numberOfLeadingZeros(Math.max(8, rules));
        pairs = new long[1 << bits];
        Arrays.fill(pairs, NO_PAIR);
        ranks = new int[1 << bits];
        merged = new int[rules];
        shift = 64 - bits;
    }

    /**
     * Reads rules such as {@code "left right"}, the highest priority first. The separator is the
     * first space that is not the first byte. Parts that are no token are added to the symbols. The
     * first of equal rules counts.
     */
    static MergeTable of(byte[][] rules, SymbolTable symbols) {
        MergeTable table = new MergeTable(rules.length);
        byte[] joined = new byte[64];
        for (int rank = 0; rank < rules.length; rank++) {
            byte[] rule = rules[rank];
            int separator = separator(rule, rank);
            if (joined.length < rule.length) {
                joined = new byte[rule.length * 2];
            }
            System.arraycopy(rule, 0, joined, 0, separator);
            System.arraycopy(rule, separator + 1, joined, separator, rule.length - separator - 1);
            int left = symbols.findOrAdd(rule, 0, separator);
            int right = symbols.findOrAdd(rule, separator + 1, rule.length);
            table.merged[rank] = symbols.findOrAdd(joined, 0, rule.length - 1);
            table.enter(left, right, rank);
        }
        return table;
    }

    @Override
    public int rank(int left, int right) {
        if ((left | right) < 0) {
            return -1;
        }
        int slot = slot(left, right);
        return pairs[slot] == NO_PAIR ? -1 : ranks[slot];
    }

    @Override
    public int merged(int left, int right, int rank) {
        return merged[rank];
    }

    @Override
    public String describe() {
        return merged.length + " merges";
    }

    private void enter(int left, int right, int rank) {
        int slot = slot(left, right);
        if (pairs[slot] == NO_PAIR) {
            pairs[slot] = pair(left, right);
            ranks[slot] = rank;
        }
    }

    private int slot(int left, int right) {
        long pair = pair(left, right);
        int slot = (int) (pair * 0x9E3779B97F4A7C15L >>> shift);
        while (pairs[slot] != pair && pairs[slot] != NO_PAIR) {
            slot = slot + 1 & pairs.length - 1;
        }
        return slot;
    }

    private static long pair(int left, int right) {
        return (long) left << 32 | right;
    }

    private static int separator(byte[] rule, int rank) {
        for (int at = 1; at < rule.length - 1; at++) {
            if (rule[at] == ' ') {
                return at;
            }
        }
        throw new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                "tokenizer.ggml.merges["
                        + rank
                        + "]: expected two parts with a space between them, found "
                        + rule.length
                        + " bytes without");
    }
}
