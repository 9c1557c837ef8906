package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/**
 * The last pass of DeepSeek V3's pre-tokenizer, by hand like {@link LetterRunSplitter}:
 *
 * <pre>
 * [ASCII punctuation][A-Za-z]+
 * |[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
 * | ?[\p{P}\p{S}]+[\r\n]*
 * |\s*[\r\n]+ |\s+(?!\S) |\s+
 * </pre>
 *
 * <p>Control characters, digits and others that no alternative begins with are words together, up
 * to the next match.
 */
final class DeepSeekSplitter implements PreTokenizer {
    @Override
    public void split(byte[] text, int from, int to, Words words) {
        int unmatched = from;
        for (int at = from; at < to; ) {
            int end = matchEnd(text, at, to);
            if (end == at) {
                at += Utf8.length(Utf8.codePointAt(text, at));
                continue;
            }
            if (unmatched < at) {
                words.word(unmatched, at);
            }
            words.word(at, end);
            at = end;
            unmatched = at;
        }
        if (unmatched < to) {
            words.word(unmatched, to);
        }
    }

    /** The end of the match that begins here; {@code at} for none. */
    private static int matchEnd(byte[] text, int at, int to) {
        int first = Utf8.codePointAt(text, at);
        int next = at + Utf8.length(first);
        if (CharacterSets.isAsciiPunctuation(first)) {
            int end =
                    CharacterScan.end(
                            text, next, to, Integer.MAX_VALUE, CharacterSets::isAsciiLetter);
            if (end > next) {
                return end;
            }
        }
        boolean sign = CharacterSets.isSign(first);
        if (!sign && !CharacterScan.isLineEnd(first)) {
            int end = CharacterScan.lettersEnd(text, next, to, true);
            if (end > next || isLetterOrMark(first)) {
                return end;
            }
        }
        int signs = first == ' ' ? next : at;
        int end = CharacterScan.end(text, signs, to, Integer.MAX_VALUE, CharacterSets::isSign);
        if (end > signs) {
            return CharacterScan.lineEndsEnd(text, end, to);
        }
        return CharacterKind.of(first) == CharacterKind.SPACE
                ? CharacterScan.linesOrSpacesEnd(text, at, to)
                : at;
    }

    private static boolean isLetterOrMark(int codePoint) {
        byte kind = CharacterKind.of(codePoint);
        return kind == CharacterKind.LETTER || kind == CharacterKind.MARK;
    }
}
