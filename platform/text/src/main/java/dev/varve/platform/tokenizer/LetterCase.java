package dev.varve.platform.tokenizer;

/**
 * Classes of letters and marks that pre-tokenizers with rules for capitals distinguish. Bytes in a
 * table for the basic plane, like {@link CharacterKind}.
 */
final class LetterCase {
    /** In {@code [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]}: may stand where capitals do. */
    static final byte CAPITAL = 1;

    /** In {@code [\p{Ll}\p{Lm}\p{Lo}\p{M}]}: may stand where small letters do. */
    static final byte SMALL = 2;

    private static final byte[] BASIC_PLANE = basicPlane();

    private LetterCase() {}

    /** Returns {@link #CAPITAL}, {@link #SMALL}, the sum of both, or 0 for other characters. */
    static byte of(int codePoint) {
        return codePoint < BASIC_PLANE.length ? BASIC_PLANE[codePoint] : compute(codePoint);
    }

    private static byte[] basicPlane() {
        byte[] cases = new byte[0x10000];
        for (int codePoint = 0; codePoint < cases.length; codePoint++) {
            cases[codePoint] = compute(codePoint);
        }
        return cases;
    }

    private static byte compute(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.UPPERCASE_LETTER, Character.TITLECASE_LETTER -> CAPITAL;
            case Character.LOWERCASE_LETTER -> SMALL;
            case Character.MODIFIER_LETTER,
                    Character.OTHER_LETTER,
                    Character.NON_SPACING_MARK,
                    Character.ENCLOSING_MARK,
                    Character.COMBINING_SPACING_MARK ->
                    CAPITAL + SMALL;
            default -> 0;
        };
    }
}
