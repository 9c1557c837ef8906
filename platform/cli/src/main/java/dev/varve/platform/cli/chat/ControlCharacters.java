package dev.varve.platform.cli.chat;

/**
 * Removes control characters from text for a terminal. A model may write any character, and a
 * terminal would execute an escape sequence: it could change the title, the colours or the
 * clipboard.
 */
public final class ControlCharacters {
    private ControlCharacters() {}

    /**
     * Returns the text without the control characters of Unicode (U+0000 to U+001F, U+007F to
     * U+009F), except line feeds and tabs. Each character is judged alone, so a text may be given
     * in parts.
     */
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
}
