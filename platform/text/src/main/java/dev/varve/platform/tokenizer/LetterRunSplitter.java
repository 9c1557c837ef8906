package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/**
 * The pre-tokenizer of most models with byte-level BPE, by hand: linear in the text and without the
 * stack of a regular expression.
 *
 * <pre>
 * (?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])  English contractions
 * |[^\r\n\p{L}\p{N}]?X             letters, after one sign or space
 * |\p{N}{1,n}                      up to n digits
 * | ?[^\sX\p{N}]+Y                 signs, after one space, with the line end
 * |\s*[\r\n]+ |\s+(?!\S) |\s+      white space; the last one goes to the next word
 * </pre>
 *
 * where X are {@link Letters}, n is the number of digits and Y is a {@link SignsEnd}. The first
 * alternative that matches wins. {@code \s} is the Unicode property White_Space.
 */
final class LetterRunSplitter implements PreTokenizer {
    /** The letters of a word. */
    enum Letters {
        /** {@code \p{L}+}. */
        PLAIN,

        /** {@code [\p{L}\p{M}]+}. */
        WITH_MARKS,

        /**
         * {@code U*W+} or, if that does not match, {@code U+W*}: a word of small letters with the
         * capitals before it, or a word of capitals; see {@link LetterCase}. Contractions are not
         * recognised.
         */
        CASED,

        /** As {@link #CASED}, with a contraction behind the letters. */
        CASED_WITH_CONTRACTION
    }

    /** The characters that a word of signs takes with it. */
    enum SignsEnd {
        NOTHING,

        /** {@code [\r\n]*}. */
        LINE_ENDS,

        /** {@code [\r\n/]*}. */
        LINE_ENDS_AND_SLASHES
    }

    private final Letters letters;
    private final int digits;
    private final SignsEnd signsEnd;

    LetterRunSplitter(Letters letters, int digits, SignsEnd signsEnd) {
        this.letters = letters;
        this.digits = digits;
        this.signsEnd = signsEnd;
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
        byte kind = CharacterKind.of(first);
        if (kind == CharacterKind.NUMBER) {
            return CharacterScan.end(text, at, to, digits, CharacterSets::isNumber);
        }
        int end = isCased() ? at : CharacterScan.contractionEnd(text, at, to);
        if (end == at) {
            end = lettersEnd(text, at, to, first, kind);
        }
        if (end > at) {
            return end;
        }
        boolean signs =
                kind != CharacterKind.SPACE || first == ' ' && next < to && isSignAt(text, next);
        return signs
                ? signsEnd(text, signRunEnd(text, next, to), to)
                : CharacterScan.linesOrSpacesEnd(text, at, to);
    }

    private int lettersEnd(byte[] text, int at, int to, int first, byte kind) {
        int next = at + Utf8.length(first);
        if (CharacterScan.isLineEnd(first)) {
            return at;
        }
        if (isCased()) {
            int end = casedEnd(text, at, next, to, kind);
            return letters == Letters.CASED ? end : CharacterScan.contractionEnd(text, end, to);
        }
        boolean marks = letters == Letters.WITH_MARKS;
        if (kind == CharacterKind.LETTER) {
            return CharacterScan.lettersEnd(text, next, to, marks);
        }
        int end = CharacterScan.lettersEnd(text, next, to, marks);
        if (end > next) {
            return end;
        }
        return marks && kind == CharacterKind.MARK ? next : at;
    }

    /** {@code [^\r\n\p{L}\p{N}]?} with {@code U*W+|U+W*}, in the order of backtracking. */
    private static int casedEnd(byte[] text, int at, int next, int to, byte kind) {
        boolean letter = kind == CharacterKind.LETTER;
        if (!letter) {
            int end = smallEnd(text, next, to);
            if (end > next) {
                return end;
            }
        }
        if (letter || kind == CharacterKind.MARK) {
            int end = smallEnd(text, at, to);
            if (end > at) {
                return end;
            }
        }
        int begin = letter ? at : next;
        int end = caseEnd(text, begin, to, LetterCase.CAPITAL);
        return end > begin ? end : at;
    }

    /**
     * {@code U*W+}: capitals and the small letters behind them. Without such, the capitals up to
     * the last one that counts as a small letter, too.
     */
    private static int smallEnd(byte[] text, int from, int to) {
        int afterBoth = from;
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            byte letterCase = LetterCase.of(codePoint);
            if ((letterCase & LetterCase.CAPITAL) == 0) {
                break;
            }
            at += Utf8.length(codePoint);
            if ((letterCase & LetterCase.SMALL) != 0) {
                afterBoth = at;
            }
        }
        int end = caseEnd(text, at, to, LetterCase.SMALL);
        return end > at ? end : afterBoth;
    }

    private static int caseEnd(byte[] text, int from, int to, byte letterCase) {
        int at = from;
        while (at < to) {
            int codePoint = Utf8.codePointAt(text, at);
            if ((LetterCase.of(codePoint) & letterCase) == 0) {
                break;
            }
            at += Utf8.length(codePoint);
        }
        return at;
    }

    private int signRunEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && isSignAt(text, at)) {
            at += Utf8.length(Utf8.codePointAt(text, at));
        }
        return at;
    }

    private boolean isSignAt(byte[] text, int at) {
        byte kind = CharacterKind.of(Utf8.codePointAt(text, at));
        return kind == CharacterKind.OTHER
                || kind == CharacterKind.MARK && letters != Letters.WITH_MARKS;
    }

    private int signsEnd(byte[] text, int from, int to) {
        return switch (signsEnd) {
            case NOTHING -> from;
            case LINE_ENDS -> CharacterScan.lineEndsEnd(text, from, to);
            case LINE_ENDS_AND_SLASHES -> lineEndsAndSlashesEnd(text, from, to);
        };
    }

    private static int lineEndsAndSlashesEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && (CharacterScan.isLineEnd(text[at]) || text[at] == '/')) {
            at++;
        }
        return at;
    }

    private boolean isCased() {
        return letters == Letters.CASED || letters == Letters.CASED_WITH_CONTRACTION;
    }
}
