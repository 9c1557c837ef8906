package dev.varve.platform.chat;

/** Whether a response must begin with a tool call. */
public sealed interface ToolCallRequirement {
    /** The model decides. */
    record None() implements ToolCallRequirement {}

    /**
     * A call of any tool. The markup is forced up to the name; {@link ResponseFormat} constrains
     * the name.
     */
    record Any() implements ToolCallRequirement {}

    /** A call of one tool. */
    record Named(String name) implements ToolCallRequirement {}
}
