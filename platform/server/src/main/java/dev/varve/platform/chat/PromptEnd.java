package dev.varve.platform.chat;

/** Where a prompt leaves its answer. */
sealed interface PromptEnd {
    /** Inside a thought; {@code begun} is the text behind its mark: white space or the label. */
    record InThought(String begun) implements PromptEnd {}

    /** Right behind a thought, white space aside. */
    record AfterThought() implements PromptEnd {}

    /** Anywhere else. */
    record Plain() implements PromptEnd {}
}
