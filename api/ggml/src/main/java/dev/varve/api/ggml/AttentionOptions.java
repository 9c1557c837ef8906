package dev.varve.api.ggml;

/**
 * Treatment of the scores of an attention.
 *
 * @param scale factor of the products of queries and keys
 * @param maxBias largest slope of ALiBi, which adds the mask times a slope per head; 0 adds the
 *     mask itself
 * @param softcap limit that tanh keeps the scores in; 0 for no limit
 */
public record AttentionOptions(float scale, float maxBias, float softcap) {
    /** Returns options that only scale the scores. */
    public static AttentionOptions scaled(float scale) {
        return new AttentionOptions(scale, 0, 0);
    }
}
