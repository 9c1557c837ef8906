package dev.varve.platform.tokenizer;

/** Sets of characters in the expressions of a few pre-tokenizers. */
final class CharacterSets {
    private CharacterSets() {}

    static boolean isLineEnd(int codePoint) {
        return CharacterScan.isLineEnd(codePoint);
    }

    /** {@code \p{N}}. */
    static boolean isNumber(int codePoint) {
        return CharacterKind.of(codePoint) == CharacterKind.NUMBER;
    }

    /** {@code \p{L}}. */
    static boolean isLetter(int codePoint) {
        return CharacterKind.of(codePoint) == CharacterKind.LETTER;
    }

    /** {@code [\p{Lu}\p{Ll}\p{Lt}]}. */
    static boolean isCasedLetter(int codePoint) {
        byte letterCase = LetterCase.of(codePoint);
        return letterCase == LetterCase.CAPITAL || letterCase == LetterCase.SMALL;
    }

    /** {@code [A-Za-z]}. */
    static boolean isAsciiLetter(int codePoint) {
        return codePoint >= 'A' && codePoint <= 'Z' || codePoint >= 'a' && codePoint <= 'z';
    }

    /** The 32 visible ASCII characters that are neither letters nor digits. */
    static boolean isAsciiPunctuation(int codePoint) {
        return codePoint > ' '
                && codePoint < 0x7F
                && !isAsciiLetter(codePoint)
                && (codePoint < '0' || codePoint > '9');
    }

    /** {@code \p{P}}. */
    static boolean isPunctuation(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION ->
                    true;
            default -> false;
        };
    }

    /** {@code [\p{P}\p{S}]}. */
    static boolean isSign(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.MATH_SYMBOL,
                    Character.CURRENCY_SYMBOL,
                    Character.MODIFIER_SYMBOL,
                    Character.OTHER_SYMBOL ->
                    true;
            default -> isPunctuation(codePoint);
        };
    }

    /** {@code [\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]}: Han characters and both kana. */
    static boolean isHanOrKana(int codePoint) {
        return codePoint >= 0x4E00 && codePoint <= 0x9FA5
                || codePoint >= 0x3040 && codePoint <= 0x30FF;
    }

    /**
     * {@code [\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]}: meant for Chinese, Japanese and Korean,
     * and much wider.
     */
    static boolean isEastAsian(int codePoint) {
        return codePoint >= 0x0800 && codePoint <= 0x9FA5
                || codePoint >= 0xAC00 && codePoint <= 0xD7FF;
    }

    /** {@code [!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]}. */
    static boolean isWidePunctuation(int codePoint) {
        return codePoint >= '!' && codePoint <= '/'
                || codePoint >= ':' && codePoint <= '~'
                || codePoint >= 0xFF01 && codePoint <= 0xFF0F
                || codePoint >= 0xFF1A && codePoint <= 0xFF5E
                || codePoint >= 0x2018 && codePoint <= 0x201F
                || codePoint >= 0x3000 && codePoint <= 0x3002;
    }
}
