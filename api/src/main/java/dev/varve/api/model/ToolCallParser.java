package dev.varve.api.model;

/**
 * Reads what stands between the marks of one tool call, while the model writes it. The text comes
 * in pieces of any size, cut anywhere: what a parser makes of it must not depend on where. Text is
 * what a model wrote, and a model may write anything: nothing is an error, and the work for a piece
 * must not grow with what came before.
 *
 * <p>As long as no call has begun at the {@link ToolCallOutput}, all of it may still turn out to be
 * plain content ({@link #isRejected}); a call that has begun cannot be taken back.
 *
 * <p>The platform guards the parsers of plugins: it bounds the length and the depth of arguments,
 * closes what they leave open, and takes an exception as the end of what can be read. One answer,
 * one thread.
 *
 * <p>Stable: a plugin that is built against it goes on working.
 */
public interface ToolCallParser {
    /** Takes text. */
    void push(String text);

    /**
     * Takes one of {@link ToolSyntax#innerMarks}.
     *
     * @param spelling its text
     */
    default void mark(String spelling) {
        push(spelling);
    }

    /**
     * Whether this is no call of a declared tool. Everything since the open mark, marks included,
     * is shown as content then.
     */
    boolean isRejected();

    /** Whether only the close mark is missing. */
    boolean isComplete();

    /**
     * Whether text is part of a value here. Another open mark belongs to the value then; elsewhere
     * it ends this call and begins the next.
     */
    default boolean isInValue() {
        return false;
    }

    /** What followed a complete call in place of its close mark; it is shown as content. */
    default String rest() {
        return "";
    }

    /**
     * The close mark: ends the call, and whatever is still open inside of it, so that the arguments
     * are JSON. Rejected if there was no name.
     */
    void close();
}
