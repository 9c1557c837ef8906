package dev.varve.platform.chat;

/** Finds the end of one JSON value. Looks at brackets and strings only. */
final class JsonValueEndDetector {
    private final StringBuilder closers = new StringBuilder();
    private final char quote;
    private boolean inString;
    private boolean escaped;
    private boolean bare;

    JsonValueEndDetector() {
        this('"');
    }

    /** Of a value that may begin with a single quote, as all its strings do then. */
    JsonValueEndDetector(char first) {
        quote = first == '\'' ? first : '"';
    }

    /** Takes a character of the value; returns whether it is the last one. */
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

    /** Whether the value is a number or a word, which has no last character of its own. */
    boolean isBare() {
        return bare && !inString && closers.isEmpty();
    }

    /** Brackets that are open. */
    int depth() {
        return closers.length();
    }

    boolean isInString() {
        return inString;
    }

    /** Whether this closes the bracket that was opened last. */
    boolean isClosedBy(char next) {
        return !closers.isEmpty() && closers.charAt(closers.length() - 1) == next;
    }

    /** What closes everything that is open. */
    String closing() {
        String brackets = new StringBuilder(closers).reverse().toString();
        return (escaped ? "\\" : "") + (inString ? String.valueOf(quote) : "") + brackets;
    }
}
