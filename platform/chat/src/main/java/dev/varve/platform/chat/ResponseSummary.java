package dev.varve.platform.chat;

import java.util.Optional;

/**
 * Summary of a response that ended.
 *
 * @param stop the stop string that ended it
 * @param calls number of tool calls
 * @param reasoningTokens tokens of reasoning, without its delimiters
 * @param contentTokens tokens outside the reasoning, without its delimiters
 * @param reasoningEnd how the reasoning ended
 * @param isRepeating whether it was ended because it repeated itself
 */
public record ResponseSummary(
        Optional<String> stop,
        int calls,
        int reasoningTokens,
        int contentTokens,
        ReasoningFinishReason reasoningEnd,
        boolean isRepeating) {}
