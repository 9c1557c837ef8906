package dev.varve.platform.chat;

/** Whether an answer must begin with a tool call. */
public sealed interface ToolCallRequirement {
    /** The model decides. */
    record None() implements ToolCallRequirement {}

    /**
     * Some call. The markup is forced up to the name; what the name may be is a matter of {@link
     * ResponseFormat}.
     */
    record Any() implements ToolCallRequirement {}

    /** A call of one tool. */
    record Named(String name) implements ToolCallRequirement {}
}
