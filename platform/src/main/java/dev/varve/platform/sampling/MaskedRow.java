package dev.varve.platform.sampling;

import java.util.Arrays;

/** Logits of which only those of a {@link TokenMask} count. Runs per token. */
final class MaskedRow {
    private MaskedRow() {}

    /**
     * The token with the highest logit among those of a mask, the lowest id on ties.
     *
     * @param row holds the logits {@code [offset, offset + length)}; not copied, not changed
     * @param adjustments knows tokens that are never chosen
     * @return -1 if none has a logit above negative infinity
     */
    static int argmax(
            TokenMask mask, float[] row, int offset, int length, LogitAdjustments adjustments) {
        long[] words = mask.words();
        float highest = Float.NEGATIVE_INFINITY;
        int best = -1;
        for (int i = 0; i < words.length; i++) {
            for (long rest = words[i]; rest != 0; rest &= rest - 1) {
                int token = i * Long.SIZE + Long.numberOfTrailingZeros(rest);
                if (token >= length) {
                    return best;
                }
                if (row[offset + token] > highest && !adjustments.isSuppressed(token)) {
                    highest = row[offset + token];
                    best = token;
                }
            }
        }
        return best;
    }

    /** Lets the logits of all other tokens of a row be negative infinity. */
    static void keep(TokenMask mask, float[] row) {
        long[] words = mask.words();
        int known = Math.min(row.length, words.length * Long.SIZE);
        for (int begin = 0; begin < known; begin += Long.SIZE) {
            long forbidden = ~words[begin / Long.SIZE];
            if (forbidden == -1) {
                Arrays.fill(
                        row, begin, Math.min(known, begin + Long.SIZE), Float.NEGATIVE_INFINITY);
                continue;
            }
            for (long rest = forbidden; rest != 0; rest &= rest - 1) {
                int token = begin + Long.numberOfTrailingZeros(rest);
                if (token < known) {
                    row[token] = Float.NEGATIVE_INFINITY;
                }
            }
        }
        Arrays.fill(row, known, row.length, Float.NEGATIVE_INFINITY);
    }
}
