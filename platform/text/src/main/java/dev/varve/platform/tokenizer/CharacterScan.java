package dev.varve.platform.tokenizer;

import java.util.function.IntPredicate;

/**
 * Scans that the pre-tokenizers share. Each method reads {@code text[from, to)}, well-formed UTF-8,
 * and returns where a run of characters ends, {@code from} if it is empty.
 */
final class CharacterScan {
    private CharacterScan() {}

    /** The end of the longest run of characters of one {@link CharacterKind}. */
    static int kindEnd(byte[] text, int from, int to, byte kind) {
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            if (CharacterKind.of(codePoint) != kind) {
                break;
            }
            at += Utf8.length(codePoint);
        }
        return at;
    }

    /** The end of a run of letters, or of letters and marks. */
    static int lettersEnd(byte[] text, int from, int to, boolean marks) {
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            byte kind = CharacterKind.of(codePoint);
            if (kind != CharacterKind.LETTER && !(marks && kind == CharacterKind.MARK)) {
                break;
            }
            at += Utf8.length(codePoint);
        }
        return at;
    }

    /** The end of a run of at most {@code most} characters. */
    static int end(byte[] text, int from, int to, int most, IntPredicate characters) {
        int at = from;
        for (int count = 0; at < to && count < most; count++) {
            int codePoint = Utf8.codePointAt(text, at);
            if (!characters.test(codePoint)) {
                break;
            }
            at += Utf8.length(codePoint);
        }
        return at;
    }

    /** The end of a run of {@code \r} and {@code \n}. */
    static int lineEndsEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && isLineEnd(text[at])) {
            at++;
        }
        return at;
    }

    /**
     * {@code \s*[\r\n]+|\s+(?!\S)|\s+}: up to the last line end of the run, or all of it at the end
     * of the text, or all but its last character.
     */
    static int linesOrSpacesEnd(byte[] text, int from, int to) {
        int afterLineEnd = from;
        for (int at = from; at < to; ) {
            int codePoint = Utf8.codePointAt(text, at);
            if (CharacterKind.of(codePoint) != CharacterKind.SPACE) {
                break;
            }
            at += Utf8.length(codePoint);
            if (isLineEnd(codePoint)) {
                afterLineEnd = at;
            }
        }
        return afterLineEnd > from ? afterLineEnd : spacesEnd(text, from, to);
    }

    /** {@code \s+(?!\S)|\s+}: all white space at the end of the text, or all but its last one. */
    static int spacesEnd(byte[] text, int from, int to) {
        int last = from;
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            if (CharacterKind.of(codePoint) != CharacterKind.SPACE) {
                break;
            }
            last = at;
            at += Utf8.length(codePoint);
        }
        return at == to || last == from ? at : last;
    }

    /** The end of an English contraction such as {@code 're}, in small letters or capitals. */
    static int contractionEnd(byte[] text, int from, int to) {
        return contractionEnd(text, from, to, 0x20);
    }

    /** As {@link #contractionEnd}, in small letters only. */
    static int smallContractionEnd(byte[] text, int from, int to) {
        return contractionEnd(text, from, to, 0);
    }

    private static int contractionEnd(byte[] text, int from, int to, int caseBit) {
        if (from + 1 >= to || text[from] != '\'') {
            return from;
        }
        int letter = text[from + 1] | caseBit;
        if (letter == 's' || letter == 't' || letter == 'm' || letter == 'd') {
            return from + 2;
        }
        int second = from + 2 < to ? text[from + 2] | caseBit : 0;
        boolean two =
                (letter == 'r' || letter == 'v') && second == 'e' || letter == 'l' && second == 'l';
        return two ? from + 3 : from;
    }

    static boolean isLineEnd(int codePoint) {
        return codePoint == '\n' || codePoint == '\r';
    }
}
