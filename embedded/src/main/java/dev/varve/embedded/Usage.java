package dev.varve.embedded;

import java.time.Duration;
import java.util.Objects;

/**
 * Cost of a response.
 *
 * @param promptTokens tokens of the chat before the response
 * @param cachedTokens of these, tokens from the prefix cache
 * @param responseTokens generated tokens, reasoning included
 * @param reasoningTokens of these, tokens of reasoning
 * @param queued time in the queue
 * @param prefill time from the queue to the first token
 * @param decode time from the first token to the end
 * @since 0.1.0
 */
public record Usage(
        int promptTokens,
        int cachedTokens,
        int responseTokens,
        int reasoningTokens,
        Duration queued,
        Duration prefill,
        Duration decode) {
    /** Checks that nothing is missing. */
    public Usage {
        Objects.requireNonNull(queued);
        Objects.requireNonNull(prefill);
        Objects.requireNonNull(decode);
    }

    /** Returns the tokens of prompt and response. */
    public int totalTokens() {
        return promptTokens + responseTokens;
    }
}
