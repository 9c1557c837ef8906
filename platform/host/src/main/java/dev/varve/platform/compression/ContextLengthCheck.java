package dev.varve.platform.compression;

import java.util.OptionalInt;

/**
 * Checks whether a prompt and its response fit the context. Runs before the compression, and again
 * when the compressed length is known.
 *
 * @param contextTokens most tokens of a sequence
 */
public record ContextLengthCheck(int contextTokens) {
    /**
     * Whether a prompt is rejected before compression.
     *
     * @param promptTokens length of the prompt that the client sent
     * @param outputTokens largest length of the response
     * @param compressible whether the prompt may be compressed
     */
    public boolean refuses(int promptTokens, int outputTokens, boolean compressible) {
        return !compressible && isTooMuch(promptTokens, outputTokens);
    }

    /**
     * Whether a prompt is rejected after compression.
     *
     * @param effectiveTokens length of the compressed prompt
     * @param servedTokens length that the model really receives, if it differs; else empty
     * @param outputTokens largest length of the response
     */
    public boolean refuses(int effectiveTokens, OptionalInt servedTokens, int outputTokens) {
        return isTooMuch(servedTokens.orElse(effectiveTokens), outputTokens);
    }

    private boolean isTooMuch(long promptTokens, int outputTokens) {
        return promptTokens + outputTokens > contextTokens;
    }
}
