package dev.varve.platform.chat;

/** How the reasoning of a response ended. */
public enum ReasoningFinishReason {
    /** The model closed its reasoning. */
    NATURAL,
    /** The reasoning was closed because its budget was used up. */
    HARD,
    /** The reasoning is not closed. */
    OPEN,
    /** The response has no reasoning. */
    NONE
}
