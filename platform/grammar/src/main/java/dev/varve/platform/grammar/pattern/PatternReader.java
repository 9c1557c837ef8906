package dev.varve.platform.grammar.pattern;

/** Reader of a pattern, with its position. */
final class PatternReader {
    private static final int HEX = 16;

    private final String text;
    private int at;

    PatternReader(String text) {
        this.text = text;
    }

    int index() {
        return at;
    }

    boolean isAtEnd() {
        return at == text.length();
    }

    /** The next character; -1 at the end. */
    int peek() {
        return isAtEnd() ? -1 : text.codePointAt(at);
    }

    /** Returns whether the rest begins with a prefix. */
    boolean startsWith(String prefix) {
        return text.startsWith(prefix, at);
    }

    /** Reads a character; the caller checked that there is one. */
    int next() {
        int codePoint = text.codePointAt(at);
        at += Character.charCount(codePoint);
        return codePoint;
    }

    /** Reads a prefix if the rest begins with it. */
    boolean eat(String prefix) {
        boolean found = startsWith(prefix);
        at += found ? prefix.length() : 0;
        return found;
    }

    /** Returns to an earlier position. */
    void returnTo(int index) {
        at = index;
    }

    /** Reads the text before a delimiter, and the delimiter. */
    String until(char delimiter) {
        int end = text.indexOf(delimiter, at);
        if (end < 0) {
            throw failure("'" + delimiter + "' is missing");
        }
        String before = text.substring(at, end);
        at = end + 1;
        return before;
    }

    /**
     * Reads a decimal number with all its digits. A number too large for an int is {@link
     * Integer#MAX_VALUE}; -1 if there is no digit.
     */
    int number() {
        long value = -1;
        while (!isAtEnd() && isDigit(text.charAt(at))) {
            value = Math.max(0, value) * 10 + text.charAt(at++) - '0';
            value = Math.min(value, Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /**
     * Reads a number of {@code digits} hexadecimal digits; -1, and nothing is read, if there are
     * fewer.
     */
    int hex(int digits) {
        if (at + digits > text.length()) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < digits; i++) {
            char letter = text.charAt(at + i);
            int digit = letter < 0x80 ? Character.digit(letter, HEX) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * HEX + digit;
        }
        at += digits;
        return value;
    }

    private static boolean isDigit(char letter) {
        return letter >= '0' && letter <= '9';
    }

    PatternException failure(String what) {
        return new PatternException(at, what);
    }

    PatternException failure(int index, String what) {
        return new PatternException(index, what);
    }
}
