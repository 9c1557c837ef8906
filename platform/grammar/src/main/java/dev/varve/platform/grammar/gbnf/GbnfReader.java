package dev.varve.platform.grammar.gbnf;

import dev.varve.platform.grammar.GrammarException;

/** Reader of a grammar's text, with its position. */
final class GbnfReader {
    private final String text;
    private int at;

    GbnfReader(String text) {
        this.text = text;
    }

    boolean isAtEnd() {
        return at == text.length();
    }

    int index() {
        return at;
    }

    void returnTo(int index) {
        at = index;
    }

    /** Reads a character; the caller checked that there is one. */
    int next() {
        int codePoint = text.codePointAt(at);
        at += Character.charCount(codePoint);
        return codePoint;
    }

    /** Returns whether the rest begins with a prefix. */
    boolean startsWith(String prefix) {
        return text.startsWith(prefix, at);
    }

    /** Reads a prefix if the rest begins with it. */
    boolean eat(String prefix) {
        boolean found = startsWith(prefix);
        at += found ? prefix.length() : 0;
        return found;
    }

    /** Skips blanks and comments, and with {@code lines} also ends of lines. */
    void skip(boolean lines) {
        while (!isAtEnd()) {
            char letter = text.charAt(at);
            if (letter == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (letter == ' ' || letter == '\t' || lines && isLineEnd(letter)) {
                at++;
            } else {
                return;
            }
        }
    }

    /** Returns whether the line or the text ends here. */
    boolean isAtLineEnd() {
        return isAtEnd() || isLineEnd(text.charAt(at));
    }

    private static boolean isLineEnd(char letter) {
        return letter == '\n' || letter == '\r';
    }

    /** Reads the name of a rule; empty if there is none. */
    String name() {
        int begin = at;
        while (!isAtEnd() && isNameLetter(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    private static boolean isNameLetter(char letter) {
        return letter >= 'a' && letter <= 'z'
                || letter >= 'A' && letter <= 'Z'
                || letter >= '0' && letter <= '9'
                || letter == '-'
                || letter == '_';
    }

    /** Reads a decimal number, limited to {@code most}; -1 if there is no digit. */
    int number(int most) {
        long value = -1;
        while (!isAtEnd() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            value = Math.min(most, Math.max(0, value) * 10 + text.charAt(at++) - '0');
        }
        return (int) value;
    }

    /** Reads a number of {@code digits} hexadecimal digits. */
    int hex(int digits) {
        long value = 0;
        for (int i = 0; i < digits; i++) {
            char letter = isAtEnd() ? ' ' : text.charAt(at);
            int digit = letter < 0x80 ? Character.digit(letter, 16) : -1;
            if (digit < 0) {
                throw failure("expected " + digits + " hexadecimal digits");
            }
            value = value << 4 | digit;
            at++;
        }
        return (int) Math.min(value, Integer.MAX_VALUE);
    }

    GrammarException failure(String what) {
        return failure(at, what);
    }

    /** Creates an exception with line and column, both from 1. */
    GrammarException failure(int index, String what) {
        long line = 1 + text.substring(0, index).chars().filter(letter -> letter == '\n').count();
        int column = index - text.lastIndexOf('\n', index - 1);
        return new GrammarException("", "line " + line + ", column " + column + ": " + what);
    }
}
