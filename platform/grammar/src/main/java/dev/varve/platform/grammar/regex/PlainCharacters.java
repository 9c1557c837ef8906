package dev.varve.platform.grammar.regex;

/**
 * Plain characters: those that need no escape within a JSON string, which is all of Unicode except
 * the quote, the backslash and control characters below U+0020.
 */
public final class PlainCharacters {
    private PlainCharacters() {}

    /**
     * Length of the longest prefix that consists of whole plain characters in well-formed UTF-8.
     */
    public static int prefix(byte[] text) {
        int at = 0;
        while (at < text.length) {
            int length = character(text, at);
            if (length == 0) {
                return at;
            }
            at += length;
        }
        return at;
    }

    /** Number of characters in bytes that {@link #prefix} found. */
    public static int characters(byte[] text, int length) {
        int count = 0;
        for (int i = 0; i < length; i++) {
            count += isContinuation(text[i]) ? 0 : 1;
        }
        return count;
    }

    /** Returns whether a byte is a continuation byte. */
    public static boolean isContinuation(byte value) {
        return (value & 0xc0) == 0x80;
    }

    /** Number of bytes after the first one of a character. */
    public static int missing(int lead) {
        return lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    }

    /** Returns whether a byte is a plain character by itself. */
    public static boolean isPlainAscii(int value) {
        return value >= 0x20 && value < 0x80 && value != '"' && value != '\\';
    }

    /** Length of the plain character at a position; 0 if there is none. */
    private static int character(byte[] text, int at) {
        int lead = text[at] & 0xff;
        if (lead < 0x80) {
            return isPlainAscii(lead) ? 1 : 0;
        }
        int length = missing(lead) + 1;
        if (lead < 0xc2 || lead > 0xf4 || at + length > text.length) {
            return 0;
        }
        int second = text[at + 1] & 0xff;
        if (second < least(lead) || second > most(lead)) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if (!isContinuation(text[at + i])) {
                return 0;
            }
        }
        return length;
    }

    /** The lowest second byte after a first one (Unicode 16, table 3-7). */
    public static int least(int lead) {
        return switch (lead) {
            case 0xe0 -> 0xa0;
            case 0xf0 -> 0x90;
            default -> 0x80;
        };
    }

    /** The highest second byte after a first one. */
    public static int most(int lead) {
        return switch (lead) {
            case 0xed -> 0x9f;
            case 0xf4 -> 0x8f;
            default -> 0xbf;
        };
    }
}
