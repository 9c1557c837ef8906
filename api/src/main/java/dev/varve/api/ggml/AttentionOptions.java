package dev.varve.api.ggml;

/**
 * What is done to the scores of an attention.
 *
 * @param scale factor of the products of queries and keys
 * @param maxBias largest slope of ALiBi, which adds the mask times a slope per head; 0 adds the
 *     mask itself
 * @param softcap limit that tanh keeps the scores in; 0 for no limit
 */
public record AttentionOptions(float scale, float maxBias, float softcap) {
    /** Scaled scores, and nothing else. */
    public static AttentionOptions scaled(float scale) {
        return new AttentionOptions(scale, 0, 0);
    }
}
