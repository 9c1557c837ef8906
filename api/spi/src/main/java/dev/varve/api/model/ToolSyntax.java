package dev.varve.api.model;

import java.util.List;
import java.util.Objects;

/**
 * Markup of a tool call in a family's output. {@code open} and {@code close} are the texts of
 * special tokens and are recognised by their ids, never in ordinary text. A model whose vocabulary
 * lacks one of them calls no tools.
 *
 * <p>The platform reads {@link Tagged}, {@link Braced} and {@link Json}. A family with another
 * syntax implements {@link Custom} and parses the calls itself.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public sealed interface ToolSyntax {
    /** Mark that begins a call. */
    String open();

    /** Mark that ends a call. */
    String close();

    /** Texts of further special tokens that have a meaning inside a call; none by default. */
    default List<String> innerMarks() {
        return List.of();
    }

    /**
     * Text between {@link #open} and the name of a tool. The platform begins a forced call with it.
     */
    String beforeName();

    /** A tool's name as the model writes it; the name itself by default. */
    default String spelled(String name) {
        return name;
    }

    /** Text between the name and the first argument. */
    String afterName();

    /**
     * Text that begins a line with a call without its open mark; empty, as by default, if there is
     * no such text.
     */
    default String bareBegin() {
        return "";
    }

    /** Returns whether models of the family are known to omit the open mark; false by default. */
    default boolean isOftenBare() {
        return false;
    }

    /**
     * Texts before and after a part of the markup.
     *
     * @param begin before it; may be empty where the use permits it
     * @param end after it
     */
    record Tags(String begin, String end) {
        /** Checks that nothing is null. */
        public Tags {
            Objects.requireNonNull(begin);
            Objects.requireNonNull(end);
        }
    }

    /**
     * A name and then arguments between tags. White space between tags is ignored. Where values
     * begin with an empty text, one newline on each side of a value belongs to the markup;
     * otherwise a value is all text between its tags. Strings are raw, other values are JSON; the
     * tool's schema decides.
     *
     * <p>Only the marks of the call need tokens of their own. A value ends at the first end tag
     * that is followed by the begin of a key, by {@code end} or by the close mark, white space
     * aside, so that it may contain text that looks like its end. If that tag is missing or
     * misspelled, the value ends before a key that the tool's schema has, or before {@code end}
     * followed by the close mark.
     *
     * @param call special tokens around the call
     * @param name around the name, such as {@code <function=} and {@code >}; its begin may be empty
     * @param key around an argument's key
     * @param value around an argument's value; its begin may be empty
     * @param end after the last argument, such as {@code </function>}; may be empty
     */
    record Tagged(Tags call, Tags name, Tags key, Tags value, String end) implements ToolSyntax {
        /** Checks that nothing is null. */
        public Tagged {
            Objects.requireNonNull(end);
        }

        @Override
        public String open() {
            return call.begin();
        }

        @Override
        public String close() {
            return call.end();
        }

        @Override
        public String beforeName() {
            return name.begin().isEmpty() ? "" : "\n" + name.begin();
        }

        @Override
        public String afterName() {
            return name.end().isBlank() ? name.end() : name.end() + "\n";
        }

        @Override
        public String bareBegin() {
            return name.begin();
        }

        @Override
        public boolean isOftenBare() {
            return !name.begin().isEmpty();
        }
    }

    /**
     * {@code call:NAME{key:value,...}} with bare keys, nested braces and brackets, bare numbers,
     * {@code true}, {@code false} and {@code null}. Values in JSON or Python notation are accepted,
     * too.
     *
     * @param open special token before the call
     * @param close special token after the call
     * @param prefix text before the name
     * @param quote text of the special token on both sides of a string
     */
    record Braced(String open, String close, String prefix, String quote) implements ToolSyntax {
        @Override
        public List<String> innerMarks() {
            return List.of(quote);
        }

        @Override
        public String beforeName() {
            return prefix;
        }

        @Override
        public String bareBegin() {
            return prefix;
        }

        @Override
        public String afterName() {
            return "{";
        }
    }

    /**
     * A JSON object with {@code name} and {@code arguments}.
     *
     * @param open special token before the call
     * @param close special token after the call
     */
    record Json(String open, String close) implements ToolSyntax {
        @Override
        public String beforeName() {
            return "\n{\"name\": \"";
        }

        @Override
        public String spelled(String name) {
            return JsonStrings.escaped(name);
        }

        @Override
        public String afterName() {
            return "\", \"arguments\": ";
        }
    }

    /**
     * A markup that the family parses itself. Immutable and safe for many threads; created once per
     * model.
     *
     * <p>Stable: a plugin that is built against it keeps working.
     */
    non-sealed interface Custom extends ToolSyntax {
        /**
         * Creates a parser for the text after one {@link #open}. Called on the engine's thread,
         * which computes for all requests: neither this method nor the parser may block.
         *
         * @param tools the tools that the request declares, at least one
         * @param output receiver of the calls
         */
        ToolCallParser parser(List<CallableTool> tools, ToolCallOutput output);
    }
}
