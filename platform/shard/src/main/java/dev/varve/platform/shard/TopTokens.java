package dev.varve.platform.shard;

/**
 * The {@value #COUNT} tokens of a row with the largest logits, which a device found. Every other
 * token of the row has a logit below all of them, and none is NaN.
 *
 * @param ids ascending; not to be modified
 * @param logits of these tokens, finite; not to be modified
 */
public record TopTokens(int[] ids, float[] logits) {
    /** Number of tokens per row. */
    public static final int COUNT = 128;
}
