package dev.varve.platform.compression;

import java.util.Objects;

/**
 * Decides which prompts are compressed, and how.
 *
 * @param mode when prompts are compressed
 * @param thresholdTokens length from which prompts are compressed in mode {@link
 *     CompressionMode#AUTO}, in tokens of the model; at least 0
 * @param byMessage whether conversations are compressed message by message, and first turns are not
 *     compressed
 */
public record CompressionPolicy(CompressionMode mode, int thresholdTokens, boolean byMessage) {
    /** Default: off; the threshold is 32,000 tokens, and prompts are compressed as a whole. */
    public static final CompressionPolicy USUAL =
            new CompressionPolicy(CompressionMode.OFF, 32_000, false);

    /** Checks the threshold. */
    public CompressionPolicy {
        Objects.requireNonNull(mode);
        if (thresholdTokens < 0) {
            throw new IllegalArgumentException(
                    "prefill threshold: expected 0 tokens or more, found " + thresholdTokens);
        }
    }

    /** Returns a copy with another mode, such as that of a request that disables compression. */
    public CompressionPolicy in(CompressionMode other) {
        return new CompressionPolicy(other, thresholdTokens, byMessage);
    }

    /**
     * Returns how a prompt is treated.
     *
     * @param tokens length of the prompt that the client sent
     * @param continuation whether it continues a conversation, see {@link
     *     PromptMessage#isContinuation}
     */
    public CompressionDecision treatment(int tokens, boolean continuation) {
        if (!concerns(tokens)) {
            return CompressionDecision.VERBATIM;
        }
        if (continuation) {
            return byMessage
                    ? CompressionDecision.BY_MESSAGE
                    : CompressionDecision.VERBATIM_CONTINUATION;
        }
        return byMessage ? CompressionDecision.VERBATIM_FIRST_TURN : CompressionDecision.WHOLE;
    }

    private boolean concerns(int tokens) {
        return switch (mode) {
            case OFF -> false;
            case AUTO -> tokens >= thresholdTokens;
            case ALWAYS -> true;
        };
    }
}
