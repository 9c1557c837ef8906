package dev.varve.api.model;

import java.util.Optional;

/**
 * How a family marks reasoning and tool calls in its output.
 *
 * <p>Grows: later versions may add to it, and what is there stays.
 *
 * @param reasoning the marks around a thought, if the family has any
 * @param tools the markup of a tool call, if the family has any
 */
public record ChatDialect(Optional<ReasoningMarks> reasoning, Optional<ToolSyntax> tools) {
    /** A dialect without reasoning and tools. */
    public static ChatDialect plain() {
        return new ChatDialect(Optional.empty(), Optional.empty());
    }
}
