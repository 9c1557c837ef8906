package dev.varve.api.model;

import java.util.Optional;

/**
 * Marks of reasoning and tool calls in a family's output.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param reasoning marks around reasoning, if the family has any
 * @param tools markup of a tool call, if the family has any
 */
public record ChatDialect(Optional<ReasoningMarks> reasoning, Optional<ToolSyntax> tools) {
    /** A dialect without reasoning and tools. */
    public static ChatDialect plain() {
        return new ChatDialect(Optional.empty(), Optional.empty());
    }
}
