package dev.varve.platform.chat;

/** How the thoughts of an answer ended. */
public enum ReasoningEnd {
    /** The model closed its thought. */
    NATURAL,
    /** A thought was closed because its budget was spent. */
    HARD,
    /** A thought is not closed. */
    OPEN,
    /** There was no thought. */
    NONE
}
