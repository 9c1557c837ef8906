package dev.varve.platform.log;

import java.util.Locale;

/**
 * Removes, replaces or escapes control characters of text for a terminal, a log or a message. A
 * model, a file or a peer may write any character; a terminal would execute an escape sequence,
 * which could change the title, the colours or the clipboard, and a line break would begin a forged
 * line.
 *
 * <p>Control characters are those of Unicode: U+0000 to U+001F and U+007F to U+009F. Each is judged
 * alone, so a text may be given in parts.
 */
public final class ControlCharacters {
    private ControlCharacters() {}

    /** Returns whether a text has control characters, including line feeds and tabs. */
    public static boolean areIn(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    /** Returns the text without control characters, except line feeds and tabs. */
    public static String remove(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isRemoved(text.charAt(i))) {
                return removeFrom(text, i);
            }
        }
        return text;
    }

    private static String removeFrom(String text, int first) {
        StringBuilder kept = new StringBuilder(text.length()).append(text, 0, first);
        for (int i = first + 1; i < text.length(); i++) {
            char next = text.charAt(i);
            if (!isRemoved(next)) {
                kept.append(next);
            }
        }
        return kept.toString();
    }

    private static boolean isRemoved(char character) {
        return Character.isISOControl(character) && character != '\n' && character != '\t';
    }

    /** Returns the text as one line: each control character is replaced with another one. */
    public static String replace(String text, char other) {
        if (!areIn(text)) {
            return text;
        }
        StringBuilder line = new StringBuilder(text);
        for (int i = 0; i < line.length(); i++) {
            if (Character.isISOControl(line.charAt(i))) {
                line.setCharAt(i, other);
            }
        }
        return line.toString();
    }

    /**
     * Returns the text as one line in which control characters are readable, such as {@code \n} or
     * {@code \u001b}. So are invisible characters that change how a terminal shows a line, and
     * unpaired surrogates.
     */
    public static String escape(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(each -> appendVisible(line, each));
        return line.toString();
    }

    private static void appendVisible(StringBuilder text, int character) {
        switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    text.append(
                            switch (character) {
                                case '\n' -> "\\n";
                                case '\r' -> "\\r";
                                case '\t' -> "\\t";
                                default -> String.format(Locale.ROOT, "\\u%04x", character);
                            });
            default -> text.appendCodePoint(character);
        }
    }
}
