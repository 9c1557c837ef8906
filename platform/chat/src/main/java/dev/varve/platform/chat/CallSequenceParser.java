package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Parses one or several calls between one pair of marks. Calls in JSON are accepted in every
 * syntax. Text behind a call that is no call is the rest, which becomes content.
 */
final class CallSequenceParser implements ToolCallParser {
    /** Characters between calls that are ignored. */
    private static final String SEPARATORS = ",;[]}";

    private final Supplier<ToolCallParser> syntax;
    private final Supplier<ToolCallParser> json;
    private final BufferedToolCallOutput output;
    private final boolean isArray;

    /** Text between two calls, and of the second one while it may still be content. */
    private final StringBuilder raw = new StringBuilder();

    private Optional<ToolCallParser> call = Optional.empty();

    /** Number of calls that began before the current one. */
    private int before;

    private boolean isRejected;

    /** Whether no further call follows. */
    private boolean isOver;

    /**
     * @param syntax creates a parser for the family's own syntax
     * @param json creates a parser for calls as JSON objects
     * @param isArray whether the calls are elements of an array, whose end is no rest
     */
    CallSequenceParser(
            Supplier<ToolCallParser> syntax,
            Supplier<ToolCallParser> json,
            boolean isArray,
            BufferedToolCallOutput output) {
        this.isArray = isArray;
        this.syntax = syntax;
        this.json = json;
        this.output = output;
    }

    @Override
    public void push(String text) {
        String more = text;
        while (!more.isEmpty()) {
            more = take(more);
        }
    }

    @Override
    public void mark(String spelling) {
        if (call.isEmpty() && before == 0 && output.calls() == 0) {
            isRejected = true;
        } else if (call.isEmpty() || isOver) {
            raw.append(spelling);
            isOver = true;
        } else {
            raw.append(spelling);
            call.get().mark(spelling);
            push(settle());
        }
    }

    @Override
    public boolean isRejected() {
        return isRejected;
    }

    @Override
    public boolean isComplete() {
        return isOver || call.map(ToolCallParser::isComplete).orElse(output.isBegun());
    }

    @Override
    public boolean isInValue() {
        return !isOver && call.filter(ToolCallParser::isInValue).isPresent();
    }

    @Override
    public String rest() {
        return isOver ? behind() : call.map(ToolCallParser::rest).orElse("");
    }

    private String behind() {
        String rest = raw.toString();
        String shown = rest.stripLeading();
        return isArray && shown.startsWith("]") ? shown.substring(1) : rest;
    }

    @Override
    public void close() {
        if (isOver || isRejected) {
            return;
        }
        if (call.isEmpty()) {
            isRejected = !output.isBegun();
            return;
        }
        call.get().close();
        String rest = settle();
        if (!rest.isEmpty()) {
            push(rest);
            close();
        }
    }

    /** Handles the end of the response: a call that has not begun is rejected. */
    void cut() {
        if (call.isEmpty() || call.get().isComplete()) {
            close();
        } else if (output.calls() > before) {
            close();
            raw.setLength(0);
            isOver = true;
        } else if (!isRejected) {
            reject();
        }
    }

    /** Consumes text; returns the text to consume next. */
    private String take(String text) {
        if (isOver) {
            raw.append(text);
            return "";
        }
        if (isRejected) {
            return "";
        }
        if (call.isPresent()) {
            raw.append(text);
            call.get().push(text);
            return settle();
        }
        int index = 0;
        while (index < text.length() && isBetween(text.charAt(index))) {
            index++;
        }
        raw.append(text, 0, index);
        if (index < text.length()) {
            before = output.calls();
            call = Optional.of((text.charAt(index) == '{' ? json : syntax).get());
        }
        return text.substring(index);
    }

    private boolean isBetween(char next) {
        return Character.isWhitespace(next)
                || (output.isBegun() ? SEPARATORS.indexOf(next) >= 0 : next == '[');
    }

    /** Begins the next call with the text behind a complete one. */
    private String settle() {
        ToolCallParser current = call.orElseThrow();
        if (current.isRejected()) {
            reject();
            return "";
        }
        if (output.calls() > before) {
            raw.setLength(0);
        }
        String rest = current.isComplete() ? current.rest() : "";
        if (rest.isBlank()) {
            return "";
        }
        call = Optional.empty();
        return rest;
    }

    private void reject() {
        isOver = output.isBegun();
        isRejected = !isOver;
    }
}
