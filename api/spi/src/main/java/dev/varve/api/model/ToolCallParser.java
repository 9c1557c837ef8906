package dev.varve.api.model;

/**
 * Parses the text between the marks of one tool call, while the model writes it. The text arrives
 * in pieces of any size, and the result must not depend on where they are split. A model may write
 * anything: no text is an error, and the work for a piece must not grow with the earlier text.
 *
 * <p>Until a call has begun at the {@link ToolCallOutput}, all of the text may still turn out to be
 * plain content ({@link #isRejected}); a call that has begun cannot be withdrawn.
 *
 * <p>The platform guards the parsers of plugins: it limits the length and the depth of arguments,
 * closes open values and objects, and treats an exception as the end of the readable text. One
 * thread uses the parsers of a response.
 *
 * <p>Stable: a plugin that is built against it keeps working.
 */
public interface ToolCallParser {
    /** Parses the next piece of text. */
    void push(String text);

    /**
     * Parses one of {@link ToolSyntax#innerMarks}.
     *
     * @param spelling its text
     */
    default void mark(String spelling) {
        push(spelling);
    }

    /**
     * Returns whether this is no call of a declared tool. Everything since the open mark, marks
     * included, is then emitted as content.
     */
    boolean isRejected();

    /** Returns whether only the close mark is missing. */
    boolean isComplete();

    /**
     * Returns whether the current position is inside a value. Another open mark then belongs to the
     * value; elsewhere it ends this call and begins the next.
     */
    default boolean isInValue() {
        return false;
    }

    /** Text after a complete call that replaces its close mark; it is emitted as content. */
    default String rest() {
        return "";
    }

    /**
     * Handles the close mark: ends the call and all open values and objects, so that the arguments
     * are JSON. Rejects the call if it has no name.
     */
    void close();
}
