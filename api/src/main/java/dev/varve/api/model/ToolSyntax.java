package dev.varve.api.model;

/**
 * Markup of a tool call in a family's output. {@code open} and {@code close} are the texts of
 * special tokens and are recognised by their ids, never in ordinary text.
 */
public sealed interface ToolSyntax {
    /** Begins a call. */
    String open();

    /** Ends a call. */
    String close();

    /**
     * A name and then arguments between tags. White space between tags is free. Where {@code
     * valueBegin} is empty, one newline on each side of a value belongs to the markup; otherwise a
     * value is all that stands between its tags. Strings are raw, other values are JSON; the tool's
     * schema decides.
     *
     * <p>Only {@code open} and {@code close} need tokens of their own. A value ends at the first
     * {@code valueEnd} that is followed by {@code keyBegin}, {@code end} or {@code close}, white
     * space aside, so that it may hold text that looks like its end.
     *
     * @param nameBegin before the name, such as {@code <function=}; may be empty
     * @param nameEnd behind the name, such as {@code >} or a newline
     * @param keyBegin before an argument's key
     * @param keyEnd behind it
     * @param valueBegin before an argument's value; may be empty
     * @param valueEnd behind it
     * @param end behind the last argument, such as {@code </function>}; may be empty
     */
    record Tagged(
            String open,
            String close,
            String nameBegin,
            String nameEnd,
            String keyBegin,
            String keyEnd,
            String valueBegin,
            String valueEnd,
            String end)
            implements ToolSyntax {}

    /**
     * {@code call:NAME{key:value,...}} with bare keys, nested braces and brackets, bare numbers,
     * {@code true}, {@code false} and {@code null}.
     *
     * @param prefix before the name
     * @param quote text of the special token on both sides of a string
     */
    record Braced(String open, String close, String prefix, String quote) implements ToolSyntax {}

    /** A JSON object with {@code name} and {@code arguments}. */
    record Json(String open, String close) implements ToolSyntax {}
}
