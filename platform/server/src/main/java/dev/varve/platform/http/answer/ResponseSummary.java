package dev.varve.platform.http.answer;

import dev.varve.platform.chat.ReasoningEnd;

import java.util.Optional;

/**
 * What an answer turned out to be.
 *
 * @param stop the stop string that ended it
 * @param calls number of tool calls
 * @param reasoningTokens tokens of thoughts, without their marks
 * @param contentTokens tokens behind and between the thoughts, without their marks
 * @param thoughts how the thoughts ended
 * @param loops whether it was ended because it went in circles
 */
public record ResponseSummary(
        Optional<String> stop,
        int calls,
        int reasoningTokens,
        int contentTokens,
        ReasoningEnd thoughts,
        boolean loops) {}
