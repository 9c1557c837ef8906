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
     * A name and then arguments between tags. White space between tags is free; one newline on each
     * side of a value belongs to the markup. Strings are raw, other values are JSON; the tool's
     * schema decides.
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
