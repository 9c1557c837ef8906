package dev.varve.platform.sampling;

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
        float highest = Float.NEGATIVE_INFINITY;
        int best = -1;
        for (int token = 0; token < length; token++) {
            // The logit first: few are higher than the best one so far.
            if (row[offset + token] > highest
                    && mask.allows(token)
                    && !adjustments.isSuppressed(token)) {
                highest = row[offset + token];
                best = token;
            }
        }
        return best;
    }

    /** Lets the logits of all other tokens of a row be negative infinity. */
    static void keep(TokenMask mask, float[] row) {
        for (int token = 0; token < row.length; token++) {
            if (!mask.allows(token)) {
                row[token] = Float.NEGATIVE_INFINITY;
            }
        }
    }
}
