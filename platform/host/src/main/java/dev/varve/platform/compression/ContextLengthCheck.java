package dev.varve.platform.compression;

import java.util.OptionalInt;

/**
 * Whether a prompt and its answer fit the context, where the prompt may be compressed: asked before
 * that, and again when it is known what the prompt has become.
 *
 * @param contextTokens most tokens of a sequence
 */
public record ContextLengthCheck(int contextTokens) {
    /**
     * Whether a prompt is refused at once.
     *
     * @param promptTokens as the client meant it
     * @param outputTokens most of the answer
     * @param compressible whether the prompt may become shorter
     */
    public boolean refuses(int promptTokens, int outputTokens, boolean compressible) {
        return !compressible && isTooMuch(promptTokens, outputTokens);
    }

    /**
     * Whether a prompt is refused after all.
     *
     * @param effectiveTokens of what the prompt has become
     * @param servedTokens of what the model really gets, where that is less or more; else empty
     * @param outputTokens most of the answer
     */
    public boolean refuses(int effectiveTokens, OptionalInt servedTokens, int outputTokens) {
        return isTooMuch(servedTokens.orElse(effectiveTokens), outputTokens);
    }

    private boolean isTooMuch(long promptTokens, int outputTokens) {
        return promptTokens + outputTokens > contextTokens;
    }
}
