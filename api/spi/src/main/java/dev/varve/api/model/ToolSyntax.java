package dev.varve.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Markup of a tool call in a family's output. {@code open} and {@code close} are the texts of
 * special tokens and are recognised by their ids, never in ordinary text. A model whose vocabulary
 * lacks one of them calls no tools. The marks of a {@linkplain ChatDialect#byTemplate dialect by
 * template} may also be ordinary text.
 *
 * <p>The platform reads {@link Tagged}, {@link Braced}, {@link Json} and {@link Named}. A family
 * with another syntax implements {@link Custom} and parses the calls itself.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public sealed interface ToolSyntax {
    /** Mark that begins a call. */
    String open();

    /** Mark that ends a call; empty if a call ends with its arguments. */
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
     * Returns whether a call without its open mark is the whole response, which then begins with
     * {@link #bareBegin}, and is the usual form: the platform begins a forced call without the
     * mark. False by default.
     */
    default boolean isWholeResponse() {
        return false;
    }

    /**
     * Text between two calls that share their marks, up to the name of the second one; empty, as by
     * default, if each call has marks of its own.
     */
    default Optional<String> between() {
        return Optional.empty();
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

    /** White space that a model writes between the tags of a {@link Tagged} call. */
    enum Spacing {
        /**
         * A newline behind each tag. Where values begin with an empty text, one newline on each
         * side of a value belongs to the markup.
         */
        LINES,
        /** A newline behind each tag, except around values. */
        LINES_BETWEEN_ARGUMENTS,
        /** None. */
        NONE
    }

    /**
     * A name and then arguments between tags. White space between tags is ignored. Except for the
     * newlines of {@link Spacing#LINES}, a value is all text between its tags. Strings are raw,
     * other values are JSON; the tool's schema decides.
     *
     * <p>Only the marks of the call need tokens of their own. A value ends at the first end tag
     * that is followed by the begin of a key, by {@code end} or by the close mark, white space
     * aside, so that it may contain text that looks like its end. If that tag is missing or
     * misspelled, the value ends before a key that the tool's schema has, or before {@code end}
     * followed by the close mark.
     *
     * @param call special tokens around the call
     * @param name around the name, such as {@code <function=} and {@code >}; its begin may be
     *     empty; if its end is empty, the name ends at the next tag
     * @param key around an argument's key
     * @param value around an argument's value; its begin may be empty
     * @param end after the last argument, such as {@code </function>}; may be empty
     * @param spacing white space between the tags
     * @param isBlock whether several calls may share the special tokens; {@code end} is not empty
     *     then
     */
    record Tagged(
            Tags call,
            Tags name,
            Tags key,
            Tags value,
            String end,
            Spacing spacing,
            boolean isBlock)
            implements ToolSyntax {
        /** Checks that nothing is null. */
        public Tagged {
            Objects.requireNonNull(end);
            Objects.requireNonNull(spacing);
        }

        /** Creates a syntax with newlines between tags, and marks around each call. */
        public Tagged(Tags call, Tags name, Tags key, Tags value, String end) {
            this(call, name, key, value, end, Spacing.LINES, false);
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
            return name.begin().isEmpty() || spacing == Spacing.NONE
                    ? name.begin()
                    : "\n" + name.begin();
        }

        @Override
        public String afterName() {
            boolean isOnLine = name.end().isBlank() || spacing == Spacing.NONE;
            return isOnLine ? name.end() : name.end() + "\n";
        }

        @Override
        public Optional<String> between() {
            return isBlock ? Optional.of(name.begin()) : Optional.empty();
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

    /** Frame of the objects of a {@link Json} call. */
    enum Frame {
        /** One object between the marks, on lines of its own. */
        MARKS,
        /** An array of objects behind the open mark. */
        ARRAY,
        /** The whole response is one object, usually without the open mark. */
        WHOLE_RESPONSE
    }

    /**
     * A JSON object with the name and the arguments of a tool.
     *
     * @param open special token before the call
     * @param close special token after the call; may be empty
     * @param argumentsKey key of the arguments, such as {@code arguments}
     * @param frame frame of the object
     */
    record Json(String open, String close, String argumentsKey, Frame frame) implements ToolSyntax {
        /** Checks that nothing is null. */
        public Json {
            Objects.requireNonNull(argumentsKey);
            Objects.requireNonNull(frame);
        }

        /** Creates a syntax of one object with {@code name} and {@code arguments} between marks. */
        public Json(String open, String close) {
            this(open, close, "arguments", Frame.MARKS);
        }

        @Override
        public String beforeName() {
            return switch (frame) {
                case MARKS -> "\n{\"name\": \"";
                case ARRAY -> "[{\"name\": \"";
                case WHOLE_RESPONSE -> "{\"name\": \"";
            };
        }

        @Override
        public String spelled(String name) {
            return JsonStrings.escaped(name);
        }

        @Override
        public String afterName() {
            return "\", \"" + argumentsKey + "\": ";
        }

        @Override
        public String bareBegin() {
            return isWholeResponse() ? "{" : "";
        }

        @Override
        public boolean isOftenBare() {
            return isWholeResponse();
        }

        @Override
        public boolean isWholeResponse() {
            return frame == Frame.WHOLE_RESPONSE;
        }

        @Override
        public Optional<String> between() {
            return frame == Frame.ARRAY ? Optional.of(", {\"name\": \"") : Optional.empty();
        }
    }

    /**
     * A name, a separator, and a JSON object of arguments.
     *
     * @param block special tokens around one call or several; the end may be empty
     * @param call text around one call within the block; both may be empty
     * @param idMark special token before an id of nine letters and digits, which follows the name;
     *     empty if there is none
     * @param separator text between the name, or its id, and the arguments
     */
    record Named(Tags block, Tags call, String idMark, String separator) implements ToolSyntax {
        /** Checks that nothing is null. */
        public Named {
            Objects.requireNonNull(block);
            Objects.requireNonNull(call);
            Objects.requireNonNull(idMark);
            Objects.requireNonNull(separator);
        }

        @Override
        public String open() {
            return block.begin();
        }

        @Override
        public String close() {
            return block.end();
        }

        @Override
        public String beforeName() {
            return call.begin();
        }

        @Override
        public String afterName() {
            return idMark.isEmpty() ? separator : idMark;
        }

        @Override
        public Optional<String> between() {
            return close().isEmpty() ? Optional.empty() : Optional.of(call.begin());
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
