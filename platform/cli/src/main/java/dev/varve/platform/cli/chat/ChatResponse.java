package dev.varve.platform.cli.chat;

import java.util.Objects;
import java.util.Optional;

/**
 * A response of the model.
 *
 * @param message text and reasoning
 * @param end why the response ended
 * @param statistics its cost; empty if it was stopped before the engine reported it
 */
public record ChatResponse(ChatMessage message, End end, Optional<Statistics> statistics) {
    /** Why a response ended. */
    public enum End {
        /** The model ended its turn. */
        COMPLETE,
        /** The response reached the limit of its tokens or the end of the context. */
        LENGTH,
        /** The user stopped it. */
        STOPPED
    }

    /**
     * Cost of a response.
     *
     * @param promptTokens tokens of the conversation before the response
     * @param cachedTokens of these, tokens that came from the prefix cache
     * @param generatedTokens tokens of the response, reasoning included
     * @param prefillTokensPerSecond speed of the other prompt tokens; 0 if there were none
     * @param decodeTokensPerSecond speed of the response; 0 for a single token
     * @param contextTokens most tokens of a conversation with its response; 0 if unknown
     */
    public record Statistics(
            int promptTokens,
            int cachedTokens,
            int generatedTokens,
            double prefillTokensPerSecond,
            double decodeTokensPerSecond,
            int contextTokens) {}

    /** Refuses missing values. */
    public ChatResponse {
        Objects.requireNonNull(message);
        Objects.requireNonNull(end);
        Objects.requireNonNull(statistics);
    }

    /** Returns whether the model has generated no text at all. */
    boolean isEmpty() {
        return message.content().isEmpty() && message.reasoning().isEmpty();
    }
}
