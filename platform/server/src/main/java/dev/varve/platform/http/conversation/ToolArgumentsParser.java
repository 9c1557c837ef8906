package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.Json;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/**
 * Parses the text of a tool call's arguments into an object. A response that reached its length
 * limit may end inside a call; such a text is closed at its end, so that the arguments so far are
 * kept.
 */
public final class ToolArgumentsParser {
    private final String text;

    /** Closing brackets for the text so far, the innermost first. */
    private final StringBuilder closing = new StringBuilder();

    /** Last position at which every value is complete or can be closed. */
    private int whole;

    /** Closing brackets for the text up to that position. */
    private String closingThere = "";

    private boolean inString;

    /** Start of an incomplete escape; -1 if none. */
    private int escape = -1;

    private ToolArgumentsParser(String text) {
        this.text = text;
    }

    /**
     * Returns the object that {@code text} is or begins; an empty object for a blank text.
     *
     * @return empty if it is neither
     */
    public static Optional<ObjectNode> read(String text) {
        if (text.isBlank()) {
            return Optional.of(Json.object());
        }
        return object(text).or(() -> new ToolArgumentsParser(text).closed());
    }

    private Optional<ObjectNode> closed() {
        for (int at = 0; at < text.length() && closing.length() <= Json.MAX_DEPTH; at++) {
            push(at, text.charAt(at));
        }
        if (closing.isEmpty()) {
            return Optional.empty();
        }
        String said = escape < 0 ? text : text.substring(0, escape);
        return object(said + (inString ? "\"" : "") + closing)
                .or(() -> object(text.substring(0, whole) + closingThere));
    }

    private void push(int at, char next) {
        if (escape >= 0) {
            int end = text.charAt(escape + 1) == 'u' ? escape + "\\uffff".length() - 1 : escape + 1;
            escape = at < end ? escape : -1;
        } else if (inString) {
            escape = next == '\\' ? at : -1;
            inString = next != '"';
        } else {
            pushOutside(at, next);
        }
    }

    private void pushOutside(int at, char next) {
        switch (next) {
            case '"' -> inString = true;
            case '{', '[' -> {
                closing.insert(0, next == '{' ? '}' : ']');
                mark(at + 1);
            }
            case '}', ']' -> {
                if (!closing.isEmpty()) {
                    closing.deleteCharAt(0);
                    mark(at + 1);
                }
            }
            case ',' -> mark(at);
            default -> {}
        }
    }

    private void mark(int end) {
        whole = end;
        closingThere = closing.toString();
    }

    private static Optional<ObjectNode> object(String text) {
        try {
            return Json.read(text) instanceof ObjectNode object
                    ? Optional.of(object)
                    : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
