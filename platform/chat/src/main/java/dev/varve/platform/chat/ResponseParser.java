package dev.varve.platform.chat;

import java.util.List;
import java.util.Optional;

/**
 * Parses the tokens of one response into reasoning, content and tool calls, as early as possible
 * and never within a character. No sequence of tokens is an error.
 *
 * <p>Runs per token, on the engine's thread.
 */
public interface ResponseParser {
    /**
     * New text of a response, in this order.
     *
     * @param reasoning reasoning text
     * @param content content text
     * @param calls parts of tool calls
     */
    record Piece(String reasoning, String content, List<ToolCallDelta> calls) {
        static final Piece EMPTY = new Piece("", "", List.of());

        /** Copies the calls. */
        public Piece {
            calls = List.copyOf(calls);
        }

        /** Whether it contains no text and no calls. */
        public boolean isEmpty() {
            return reasoning.isEmpty() && content.isEmpty() && calls.isEmpty();
        }
    }

    /**
     * Consumes a token; returns the text that is final now. Returns no text after a stop string.
     */
    Piece push(int token);

    /** Ends the response; returns the text that was held back. */
    Piece finish();

    /** Returns the stop string that ended the response. */
    Optional<String> stopFound();

    /**
     * Ends the reasoning as if its budget were used up; without reasoning no effect. Any thread.
     */
    void endReasoning();

    /** Returns the number of reasoning tokens so far, without the delimiters. */
    int reasoningTokens();

    /** Returns the number of tool calls so far. */
    int callCount();

    /** Returns how the reasoning so far ended. */
    ReasoningFinishReason closeKind();
}
