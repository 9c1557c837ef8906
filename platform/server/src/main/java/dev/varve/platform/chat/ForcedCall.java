package dev.varve.platform.chat;

/** Whether an answer must begin with a tool call. */
public sealed interface ForcedCall {
    /** The model decides. */
    record None() implements ForcedCall {}

    /**
     * Some call. The markup is forced up to the name; what the name may be is a matter of {@link
     * AnswerForm}.
     */
    record Any() implements ForcedCall {}

    /** A call of one tool. */
    record Named(String name) implements ForcedCall {}
}
