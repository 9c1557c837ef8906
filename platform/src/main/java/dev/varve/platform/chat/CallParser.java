package dev.varve.platform.chat;

/**
 * Reads what stands between the marks of one call, in pieces of any size. Never throws, whatever
 * the text. Once the name has been put out, a call cannot be taken back.
 */
sealed interface CallParser permits TaggedCallParser, BracedCallParser, JsonCallParser {
    /** Takes text. */
    void push(String text);

    /** Takes the mark around strings; {@code text} is its spelling. */
    default void quote(String text) {
        push(text);
    }

    /** Whether this is no call of a declared tool; nothing has been put out then. */
    boolean isRejected();

    /** Whether only the close mark is missing. */
    boolean isComplete();

    /** Whether marks of calls may be part of a value here. */
    boolean isInValue();

    /** What followed a complete call without a close mark. */
    String rest();

    /**
     * The close mark: ends the call, and whatever is still open inside of it, so that the arguments
     * are JSON. Rejected if there was no name.
     */
    void close();
}
