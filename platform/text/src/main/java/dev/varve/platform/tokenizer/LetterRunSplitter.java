package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/**
 * The pre-tokenizer of the Qwen models, by hand: linear in the text and without the stack of a
 * regular expression.
 *
 * <pre>
 * (?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])  English contractions
 * |[^\r\n\p{L}\p{N}]?X+            letters, after one sign or space
 * |\p{N}                           each digit on its own
 * | ?[^\sX\p{N}]+[\r\n]*           signs, after one space, with the line end
 * |\s*[\r\n]+ |\s+(?!\S) |\s+      white space; the last one goes to the next word
 * </pre>
 *
 * where X is {@code \p{L}}, or {@code [\p{L}\p{M}]} when marks count as letters. The first
 * alternative that matches wins. {@code \s} is the Unicode property White_Space.
 */
final class LetterRunSplitter implements PreTokenizer {
    private final boolean marksAreLetters;

    LetterRunSplitter(boolean marksAreLetters) {
        this.marksAreLetters = marksAreLetters;
    }

    @Override
    public void split(byte[] text, int from, int to, Words words) {
        for (int at = from; at < to; ) {
            int end = wordEnd(text, at, to);
            words.word(at, end);
            at = end;
        }
    }

    private int wordEnd(byte[] text, int at, int to) {
        int first = Utf8.codePointAt(text, at);
        int next = at + Utf8.length(first);
        byte kind = kind(first);
        if (first == '\'') {
            int length = contractionLength(text, at, to);
            if (length > 0) {
                return at + length;
            }
        }
        if (kind == CharacterKind.LETTER) {
            return runEnd(text, next, to, CharacterKind.LETTER);
        }
        if (kind == CharacterKind.NUMBER) {
            return next;
        }
        byte nextKind = next < to ? kind(Utf8.codePointAt(text, next)) : CharacterKind.SPACE;
        if (nextKind == CharacterKind.LETTER && !isLineEnd(first)) {
            return runEnd(text, next, to, CharacterKind.LETTER);
        }
        if (kind == CharacterKind.OTHER || first == ' ' && nextKind == CharacterKind.OTHER) {
            return lineEndsEnd(text, runEnd(text, next, to, CharacterKind.OTHER), to);
        }
        return spaceEnd(text, at, to);
    }

    private int runEnd(byte[] text, int from, int to, byte kind) {
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            if (kind(codePoint) != kind) {
                break;
            }
            at += Utf8.length(codePoint);
        }
        return at;
    }

    private static int lineEndsEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && isLineEnd(text[at])) {
            at++;
        }
        return at;
    }

    /**
     * Up to the last line end of the run, or all of it at the end of the text, or all but its last
     * character.
     */
    private static int spaceEnd(byte[] text, int from, int to) {
        int afterLineEnd = from;
        int last = from;
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            if (CharacterKind.of(codePoint) != CharacterKind.SPACE) {
                break;
            }
            last = at;
            at += Utf8.length(codePoint);
            if (isLineEnd(codePoint)) {
                afterLineEnd = at;
            }
        }
        if (afterLineEnd > from) {
            return afterLineEnd;
        }
        return at == to || last == from ? at : last;
    }

    private static int contractionLength(byte[] text, int at, int to) {
        if (at + 1 >= to) {
            return 0;
        }
        int letter = text[at + 1] | 0x20;
        if (letter == 's' || letter == 't' || letter == 'm' || letter == 'd') {
            return 2;
        }
        int second = at + 2 < to ? text[at + 2] | 0x20 : 0;
        boolean two =
                (letter == 'r' || letter == 'v') && second == 'e' || letter == 'l' && second == 'l';
        return two ? 3 : 0;
    }

    private byte kind(int codePoint) {
        byte kind = CharacterKind.of(codePoint);
        if (kind == CharacterKind.MARK) {
            return marksAreLetters ? CharacterKind.LETTER : CharacterKind.OTHER;
        }
        return kind;
    }

    private static boolean isLineEnd(int codePoint) {
        return codePoint == '\n' || codePoint == '\r';
    }
}
