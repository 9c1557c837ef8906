package dev.varve.platform.grammar.pattern;

import java.util.Optional;

/** The character classes with short names in ECMA-262. */
final class CharacterClasses {
    static final CodePointSet DIGIT = CodePointSet.range('0', '9');
    static final CodePointSet WORD = CodePointSet.ranges('0', '9', 'A', 'Z', '_', '_', 'a', 'z');

    /** WhiteSpace and LineTerminator. */
    static final CodePointSet SPACE =
            CodePointSet.ranges(
                    0x09, 0x0D, ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028,
                    0x2029, 0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF);

    /** Characters that the dot matches. */
    static final CodePointSet DOT =
            CodePointSet.ranges('\n', '\n', '\r', '\r', 0x2028, 0x2029).complement();

    private CharacterClasses() {}

    /** Returns the class that a letter after a backslash names, if any. */
    static Optional<CodePointSet> named(int letter) {
        return switch (letter) {
            case 'd' -> Optional.of(DIGIT);
            case 'D' -> Optional.of(DIGIT.complement());
            case 'w' -> Optional.of(WORD);
            case 'W' -> Optional.of(WORD.complement());
            case 's' -> Optional.of(SPACE);
            case 'S' -> Optional.of(SPACE.complement());
            default -> Optional.empty();
        };
    }
}
