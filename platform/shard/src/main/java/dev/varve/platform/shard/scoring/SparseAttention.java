package dev.varve.platform.shard.scoring;

/**
 * How the attention of a long text is made shorter: a block of queries looks at some blocks of keys
 * only, head by head.
 *
 * @param rule which ones
 * @param leastTokens of a text for which it is; in shorter ones every token looks at all before it
 */
public record SparseAttention(BlockSelectionRule rule, int leastTokens) {
    /**
     * From so many tokens on, a trained model reads a text in less than three quarters of the time;
     * in the shortest ones, most blocks are sinks or near.
     */
    public static final int USUAL_TOKENS = 6144;

    /** More would be faster, but 0.85 is reported to miss things in very long texts. */
    public static final double USUAL_ALPHA = 0.7;

    /** As long texts are read where nobody says otherwise. */
    public static final SparseAttention USUAL = of(USUAL_ALPHA);

    /** Checks the number. */
    public SparseAttention {
        if (leastTokens < 1) {
            throw new IllegalArgumentException(
                    "least tokens: expected 1 or more, found " + leastTokens);
        }
    }

    /**
     * With the usual numbers but for one.
     *
     * @param alpha part of the best score that a block needs, above 0 and below 1
     */
    public static SparseAttention of(double alpha) {
        return new SparseAttention(BlockSelectionRule.of(alpha), USUAL_TOKENS);
    }
}
