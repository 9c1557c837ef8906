package dev.varve.platform.shard.scoring;

/**
 * Block-sparse attention for long texts: a block of queries attends to some blocks of keys only,
 * head by head.
 *
 * @param rule selects the blocks
 * @param leastTokens minimum tokens of a text with sparse attention; in shorter ones every token
 *     attends to all before it
 */
public record SparseAttention(BlockSelectionRule rule, int leastTokens) {
    /**
     * From this length on, a trained model reads a text in less than three quarters of the time; in
     * the shortest texts, most blocks are sinks or near.
     */
    public static final int USUAL_TOKENS = 6144;

    /**
     * A higher value would be faster, but 0.85 is reported to miss relevant blocks in very long
     * texts.
     */
    public static final double USUAL_ALPHA = 0.7;

    /** Default for long texts. */
    public static final SparseAttention USUAL = of(USUAL_ALPHA);

    /** Checks the number. */
    public SparseAttention {
        if (leastTokens < 1) {
            throw new IllegalArgumentException(
                    "least tokens: expected 1 or more, found " + leastTokens);
        }
    }

    /**
     * Creates the usual settings with another alpha.
     *
     * @param alpha fraction of the best score that a block needs, above 0 and below 1
     */
    public static SparseAttention of(double alpha) {
        return new SparseAttention(BlockSelectionRule.of(alpha), USUAL_TOKENS);
    }
}
