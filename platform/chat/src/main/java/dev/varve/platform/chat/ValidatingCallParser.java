package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallOutput;
import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Wraps a family's own parser, whose output is not trusted. Accepts only calls of declared tools
 * whose arguments are objects of bounded length and depth; they are closed when the call ends. When
 * the parser throws or emits anything else, parsing stops: a call that has begun ends there, and
 * one that has not is content.
 */
final class ValidatingCallParser implements ToolCallParser {
    /** Most characters of the arguments of one call. */
    static final int MOST_CHARACTERS = 1 << 22;

    /** Most brackets that are open at once; JSON parsers reject a few hundred. */
    static final int MOST_DEPTH = 256;

    private static final Logger LOG = System.getLogger(ValidatingCallParser.class.getName());

    private final ToolSyntax.Custom syntax;
    private final List<ToolDeclaration> tools;
    private final BufferedToolCallOutput output;
    private final ValidatingOutput checked = new ValidatingOutput();
    private ToolCallParser parser = new StoppedParser();
    private boolean failed;

    ValidatingCallParser(
            ToolSyntax.Custom syntax, List<ToolDeclaration> tools, BufferedToolCallOutput output) {
        this.syntax = syntax;
        this.tools = tools;
        this.output = output;
        attempt(
                () ->
                        parser =
                                Objects.requireNonNull(
                                        syntax.parser(List.copyOf(tools), checked), "parser"));
    }

    @Override
    public void push(String text) {
        attempt(() -> parser.push(text));
    }

    @Override
    public void mark(String spelling) {
        attempt(() -> parser.mark(spelling));
    }

    @Override
    public boolean isRejected() {
        boolean rejected = ask(() -> parser.isRejected());
        if (rejected && output.isBegun()) {
            fail("the parser rejected a call that it had begun");
        }
        return (rejected || failed) && !output.isBegun();
    }

    @Override
    public boolean isComplete() {
        return ask(() -> parser.isComplete()) && (output.isBegun() || !failed);
    }

    @Override
    public boolean isInValue() {
        return ask(() -> parser.isInValue());
    }

    @Override
    public String rest() {
        return answer(() -> Objects.requireNonNull(parser.rest(), "rest"), "");
    }

    @Override
    public void close() {
        attempt(() -> parser.close());
        if (output.isBegun()) {
            checked.end();
        } else {
            failed = true;
        }
    }

    private boolean ask(BooleanSupplier question) {
        return answer(question::getAsBoolean, false);
    }

    private void attempt(Runnable step) {
        answer(
                () -> {
                    step.run();
                    return true;
                },
                false);
    }

    private <T> T answer(Supplier<T> question, T otherwise) {
        try {
            return question.get();
        } catch (Refused e) {
            fail(e.getMessage());
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            // Its message may contain text of the model.
            fail(e.getClass().getName());
        }
        return otherwise;
    }

    private void fail(String why) {
        failed = true;
        parser = new StoppedParser();
        LOG.log(
                Level.WARNING,
                "{0} failed to parse a tool call: {1}",
                syntax.getClass().getName(),
                why);
    }

    /** Signals why the platform accepts no more. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Refused(String message) {
            super(message);
        }
    }

    /** Emits only text that is part of an arguments object so far. */
    private final class ValidatingOutput implements ToolCallOutput {
        private JsonValueEndDetector nesting = new JsonValueEndDetector();
        private int length;
        private boolean complete;

        @Override
        public void begin(String tool) {
            if (tools.stream().noneMatch(declared -> declared.name().equals(tool))) {
                throw new Refused("the call names an undeclared tool");
            }
            if (output.isBegun()) {
                end();
            }
            output.begin(tool);
            nesting = new JsonValueEndDetector();
            length = 0;
            complete = false;
        }

        @Override
        public void append(CharSequence json) {
            if (!output.isBegun()) {
                throw new Refused("the parser emitted arguments before the tool name");
            }
            // Converted once: a family's character sequence may return other text on each call.
            String text = json.toString();
            int taken = 0;
            try {
                while (taken < text.length()) {
                    take(text.charAt(taken));
                    taken++;
                }
            } finally {
                output.append(text.substring(0, taken));
            }
        }

        private void take(char next) {
            boolean outside = complete || length == 0;
            if (outside && !Character.isWhitespace(next) && (complete || next != '{')) {
                throw new Refused("the arguments are not a single JSON object");
            }
            if (length >= MOST_CHARACTERS) {
                throw new Refused(
                        "the arguments are longer than " + MOST_CHARACTERS + " characters");
            }
            if (nesting.depth() >= MOST_DEPTH
                    && !nesting.isInString()
                    && (next == '{' || next == '[')) {
                throw new Refused("the arguments are nested deeper than " + MOST_DEPTH + " levels");
            }
            if (!nesting.isInString() && isCloser(next) && !nesting.isClosedBy(next)) {
                throw new Refused("the arguments close a bracket that is not open");
            }
            if (!outside || next == '{') {
                length++;
                complete = nesting.push(next);
            }
        }

        private static boolean isCloser(char next) {
            return next == '}' || next == ']';
        }

        private void end() {
            if (!complete) {
                output.append(length == 0 ? "{}" : nesting.closing());
                complete = true;
            }
        }
    }

    /** Parser that accepts no more text. */
    private static final class StoppedParser implements ToolCallParser {
        @Override
        public void push(String text) {}

        @Override
        public boolean isRejected() {
            return false;
        }

        @Override
        public boolean isComplete() {
            return false;
        }

        @Override
        public void close() {}
    }
}
