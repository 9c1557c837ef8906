package dev.varve.platform.chat;

import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * Requirements of a request on the form of its response.
 *
 * @param tools declared tools; without any, the markup of calls is plain content
 * @param stops stop strings, matched in the content only
 * @param thinkingBudget most reasoning tokens, at least 0; empty for no limit
 * @param forcedCall whether a call is required
 * @param form required form of the content; if a call is required, a grammar of calls or no
 *     constraint
 */
public record ResponseOptions(
        List<ToolDeclaration> tools,
        List<String> stops,
        OptionalInt thinkingBudget,
        ToolCallRequirement forcedCall,
        ResponseFormat form) {
    /** Checks the budget and copies the lists. */
    public ResponseOptions {
        tools = List.copyOf(tools);
        stops = List.copyOf(stops);
        Objects.requireNonNull(forcedCall);
        Objects.requireNonNull(form);
        if (thinkingBudget.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "reasoning budget: expected 0 or more, found " + thinkingBudget.getAsInt());
        }
    }

    /** Creates options for content of any form. */
    public ResponseOptions(
            List<ToolDeclaration> tools,
            List<String> stops,
            OptionalInt thinkingBudget,
            ToolCallRequirement forcedCall) {
        this(tools, stops, thinkingBudget, forcedCall, new ResponseFormat.Free());
    }

    /** Creates options without tools and limits. */
    public static ResponseOptions stoppingAt(List<String> stops) {
        return new ResponseOptions(
                List.of(), stops, OptionalInt.empty(), new ToolCallRequirement.None());
    }

    /** Returns a copy with another form. */
    public ResponseOptions of(ResponseFormat other) {
        return new ResponseOptions(tools, stops, thinkingBudget, forcedCall, other);
    }
}
