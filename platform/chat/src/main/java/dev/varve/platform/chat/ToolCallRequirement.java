package dev.varve.platform.chat;

/** Whether a response must begin with a tool call. */
public sealed interface ToolCallRequirement {
    /** The model decides. */
    record None() implements ToolCallRequirement {}

    /**
     * The model decides, and may call declared tools alone: its prompt has others, too. {@link
     * ResponseFormat} constrains the names, unless only the family knows the syntax; then calls of
     * other tools are content.
     */
    record Restricted() implements ToolCallRequirement {}

    /**
     * A call of any tool. The markup is forced up to the name; {@link ResponseFormat} constrains
     * the name.
     */
    record Any() implements ToolCallRequirement {}

    /** A call of one tool. */
    record Named(String name) implements ToolCallRequirement {}
}
