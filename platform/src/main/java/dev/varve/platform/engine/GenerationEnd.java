package dev.varve.platform.engine;

/**
 * How a generation ended, and its cost.
 *
 * @param reason why it ended
 * @param promptTokens tokens of the prompt
 * @param cachedTokens of these, tokens that needed no prefill
 * @param generatedTokens tokens chosen, the end token included
 * @param queueMillis time in the queue
 * @param prefillMillis time from leaving the queue to the first token
 * @param decodeMillis time from the first token to the end
 */
public record GenerationEnd(
        Reason reason,
        int promptTokens,
        int cachedTokens,
        int generatedTokens,
        double queueMillis,
        double prefillMillis,
        double decodeMillis) {
    /** Why a generation ends. */
    public enum Reason {
        /** The model chose an end token. */
        END_TOKEN,
        /** The listener asked to stop. */
        STOPPED,
        /** {@code maxTokens} were generated. */
        LENGTH
    }

    /** Tokens per second of prefill, 0 where no time passed. */
    public double prefillTokensPerSecond() {
        return prefillMillis > 0 ? (promptTokens - cachedTokens) * 1000.0 / prefillMillis : 0;
    }

    /** Tokens per second of decode, 0 where no time passed. The first token belongs to prefill. */
    public double decodeTokensPerSecond() {
        return decodeMillis > 0 ? (generatedTokens - 1) * 1000.0 / decodeMillis : 0;
    }
}
