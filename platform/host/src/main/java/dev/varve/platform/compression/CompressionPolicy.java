package dev.varve.platform.compression;

import java.util.Objects;

/**
 * Which prompts are compressed, and how.
 *
 * @param mode whether any are
 * @param thresholdTokens length from which on they are in mode {@link CompressionMode#AUTO}, in
 *     tokens of the model; at least 0
 * @param byMessage whether conversations are compressed message by message, and first turns not at
 *     all
 */
public record CompressionPolicy(CompressionMode mode, int thresholdTokens, boolean byMessage) {
    /** Nothing is compressed; else what has 32,000 tokens or more, as a whole. */
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

    /** The same in another mode, such as that of a request that wants no compression. */
    public CompressionPolicy in(CompressionMode other) {
        return new CompressionPolicy(other, thresholdTokens, byMessage);
    }

    /**
     * What becomes of a prompt.
     *
     * @param tokens of the prompt as the client meant it
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
