package dev.varve.platform.sampling;

import java.util.Arrays;
import java.util.Optional;

/**
 * Logits restricted to a {@link TokenMask}. Runs per token. Computing a step displaces the mask
 * from the caches; if few tokens are permitted, the others are therefore not read.
 */
final class MaskedRow {
    /** A mask with fewer than one in {@value} tokens counts as rare. */
    private static final int RARE = 64;

    private MaskedRow() {}

    /**
     * Returns the token with the highest logit among those of a mask, the lowest id on ties.
     *
     * @param row holds the logits {@code [offset, offset + length)}; not copied, not changed
     * @param adjustments holds the tokens that are never chosen
     * @return -1 if none has a logit above negative infinity
     */
    static int argmax(
            TokenMask mask, float[] row, int offset, int length, LogitAdjustments adjustments) {
        Optional<int[]> few = mask.few(length / RARE);
        if (few.isPresent()) {
            return argmax(few.get(), row, offset, length, adjustments);
        }
        float highest = Float.NEGATIVE_INFINITY;
        int best = -1;
        for (int token = 0; token < length; token++) {
            // Compares the logit first: few are higher than the best one so far.
            if (row[offset + token] > highest
                    && mask.allows(token)
                    && !adjustments.isSuppressed(token)) {
                highest = row[offset + token];
                best = token;
            }
        }
        return best;
    }

    private static int argmax(
            int[] tokens, float[] row, int offset, int length, LogitAdjustments adjustments) {
        float highest = Float.NEGATIVE_INFINITY;
        int best = -1;
        for (int token : tokens) {
            if (token >= length || adjustments.isSuppressed(token)) {
                continue;
            }
            float logit = row[offset + token];
            if (logit > highest || logit == highest && token < best) {
                highest = logit;
                best = token;
            }
        }
        return best;
    }

    /** Sets the logits of all other tokens of a row to negative infinity. */
    static void keep(TokenMask mask, float[] row) {
        Optional<int[]> few = mask.few(row.length / RARE);
        if (few.isPresent()) {
            keep(few.get(), row);
            return;
        }
        for (int token = 0; token < row.length; token++) {
            if (!mask.allows(token)) {
                row[token] = Float.NEGATIVE_INFINITY;
            }
        }
    }

    private static void keep(int[] tokens, float[] row) {
        float[] kept = new float[tokens.length];
        for (int i = 0; i < tokens.length; i++) {
            kept[i] = tokens[i] < row.length ? row[tokens[i]] : 0;
        }
        Arrays.fill(row, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < tokens.length; i++) {
            if (tokens[i] < row.length) {
                row[tokens[i]] = kept[i];
            }
        }
    }
}
