package dev.varve.platform.chat;

import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * What a request asks of the form of its answer.
 *
 * @param tools declared tools; without any, the markup of calls is plain content
 * @param stops stop strings, looked for in the content only
 * @param thinkingBudget most tokens of thoughts, at least 0; empty for no limit
 * @param forcedCall whether a call must be made
 * @param form what the content must be; where a call must be made, a grammar of calls or nothing
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
                    "thinking budget: expected 0 or more, found " + thinkingBudget.getAsInt());
        }
    }

    /** Content of any form. */
    public ResponseOptions(
            List<ToolDeclaration> tools,
            List<String> stops,
            OptionalInt thinkingBudget,
            ToolCallRequirement forcedCall) {
        this(tools, stops, thinkingBudget, forcedCall, new ResponseFormat.Free());
    }

    /** No tools and no limits. */
    public static ResponseOptions stoppingAt(List<String> stops) {
        return new ResponseOptions(
                List.of(), stops, OptionalInt.empty(), new ToolCallRequirement.None());
    }

    /** The same of another form. */
    public ResponseOptions of(ResponseFormat other) {
        return new ResponseOptions(tools, stops, thinkingBudget, forcedCall, other);
    }
}
