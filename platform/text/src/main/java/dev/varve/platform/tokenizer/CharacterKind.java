package dev.varve.platform.tokenizer;

/**
 * Classes of characters that pre-tokenizer expressions distinguish. Bytes instead of an enum, in a
 * table for the basic plane, because every character of a prompt is looked up.
 */
final class CharacterKind {
    /** Any other character. */
    static final byte OTHER = 0;

    /** General category L. */
    static final byte LETTER = 1;

    /** General category M. */
    static final byte MARK = 2;

    /** General category N. */
    static final byte NUMBER = 3;

    /** The property White_Space. */
    static final byte SPACE = 4;

    private static final byte[] BASIC_PLANE = basicPlane();

    private CharacterKind() {}

    static byte of(int codePoint) {
        return codePoint < BASIC_PLANE.length ? BASIC_PLANE[codePoint] : compute(codePoint);
    }

    private static byte[] basicPlane() {
        byte[] kinds = new byte[0x10000];
        for (int codePoint = 0; codePoint < kinds.length; codePoint++) {
            kinds[codePoint] = compute(codePoint);
        }
        return kinds;
    }

    private static byte compute(int codePoint) {
        if (isWhiteSpace(codePoint)) {
            return SPACE;
        }
        return switch (Character.getType(codePoint)) {
            case Character.UPPERCASE_LETTER,
                    Character.LOWERCASE_LETTER,
                    Character.TITLECASE_LETTER,
                    Character.MODIFIER_LETTER,
                    Character.OTHER_LETTER ->
                    LETTER;
            case Character.NON_SPACING_MARK,
                    Character.ENCLOSING_MARK,
                    Character.COMBINING_SPACING_MARK ->
                    MARK;
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER ->
                    NUMBER;
            default -> OTHER;
        };
    }

    /**
     * The Unicode property; {@link Character#isWhitespace} excludes no-break spaces and includes
     * U+001C to U+001F.
     */
    private static boolean isWhiteSpace(int codePoint) {
        return switch (codePoint) {
            case 0x09,
                    0x0A,
                    0x0B,
                    0x0C,
                    0x0D,
                    0x20,
                    0x85,
                    0xA0,
                    0x1680,
                    0x2028,
                    0x2029,
                    0x202F,
                    0x205F,
                    0x3000 ->
                    true;
            default -> codePoint >= 0x2000 && codePoint <= 0x200A;
        };
    }
}
