package dev.varve.platform.chat;

/** Detects the end of one JSON value. Looks at brackets and strings only. */
final class JsonValueEndDetector {
    private final StringBuilder closers = new StringBuilder();
    private final char quote;
    private boolean inString;
    private boolean escaped;
    private boolean bare;

    JsonValueEndDetector() {
        this('"');
    }

    /** Creates a detector for a value; if it begins with a single quote, all its strings do. */
    JsonValueEndDetector(char first) {
        quote = first == '\'' ? first : '"';
    }

    /** Consumes a character of the value; returns whether it is the last one. */
    boolean push(char next) {
        if (inString) {
            if (escaped) {
                escaped = false;
            } else if (next == '\\') {
                escaped = true;
            } else if (next == quote) {
                inString = false;
                return closers.isEmpty();
            }
            return false;
        }
        if (next == quote) {
            inString = true;
            return false;
        }
        switch (next) {
            case '{' -> closers.append('}');
            case '[' -> closers.append(']');
            case '}', ']' -> {
                closers.setLength(Math.max(0, closers.length() - 1));
                return closers.isEmpty();
            }
            default -> bare |= closers.isEmpty();
        }
        return false;
    }

    /** Whether the value is a number or a word, which has no closing character. */
    boolean isBare() {
        return bare && !inString && closers.isEmpty();
    }

    /** Returns the number of open brackets. */
    int depth() {
        return closers.length();
    }

    boolean isInString() {
        return inString;
    }

    /** Whether a character closes the bracket that was opened last. */
    boolean isClosedBy(char next) {
        return !closers.isEmpty() && closers.charAt(closers.length() - 1) == next;
    }

    /** Returns the characters that close all open brackets and strings. */
    String closing() {
        String brackets = new StringBuilder(closers).reverse().toString();
        return (escaped ? "\\" : "") + (inString ? String.valueOf(quote) : "") + brackets;
    }
}
