package dev.varve.platform.chat;

/** State of the response at the end of a prompt. */
sealed interface PromptEnd {
    /** Inside reasoning; {@code begun} is the text after its mark: white space or the label. */
    record InReasoning(String begun) implements PromptEnd {}

    /** Directly after reasoning, ignoring white space. */
    record AfterReasoning() implements PromptEnd {}

    /** Any other state. */
    record Plain() implements PromptEnd {}
}
