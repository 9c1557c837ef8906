package dev.varve.platform.grammar.pattern;

import java.util.Optional;

/**
 * Parses the part after a backslash that denotes a character or a class. Unlike the strict Unicode
 * mode of ECMA-262 it reads an escaped punctuation mark as itself. It rejects letters without a
 * meaning, because other dialects give them one.
 */
final class EscapeParser {
    private final PatternReader reader;

    EscapeParser(PatternReader reader) {
        this.reader = reader;
    }

    /** One code point, which may be a surrogate, or the set that an escape denotes. */
    record Escaped(int codePoint, CodePointSet set) {
        static Escaped of(int codePoint) {
            return new Escaped(codePoint, CodePointSet.of(codePoint));
        }

        boolean isClass() {
            return codePoint < 0;
        }
    }

    /** Parses an escape after its backslash. */
    Escaped escape() {
        int begin = reader.index() - 1;
        if (reader.isAtEnd()) {
            throw reader.failure(begin, "a backslash at the end");
        }
        int letter = reader.next();
        Optional<CodePointSet> named = CharacterClasses.named(letter);
        return named.isPresent()
                ? new Escaped(-1, named.get())
                : switch (letter) {
                    case 't' -> Escaped.of('\t');
                    case 'n' -> Escaped.of('\n');
                    case 'v' -> Escaped.of(0x0B);
                    case 'f' -> Escaped.of('\f');
                    case 'r' -> Escaped.of('\r');
                    case 'c' -> Escaped.of(control(begin));
                    case 'x' -> Escaped.of(digits(begin, 2));
                    case 'u' -> Escaped.of(unicode(begin));
                    case 'p' -> new Escaped(-1, property(begin));
                    case 'P' -> new Escaped(-1, property(begin).complement());
                    default -> Escaped.of(itself(begin, letter));
                };
    }

    private int itself(int begin, int letter) {
        if (letter == '0' && !isDigit(reader.peek())) {
            return 0;
        }
        if (isDigit(letter)) {
            throw reader.failure(
                    begin,
                    letter == '0'
                            ? "an octal escape is not supported"
                            : "a back reference is not supported");
        }
        if (letter == 'k') {
            throw reader.failure(begin, "a back reference is not supported");
        }
        if (letter < 0x80 && Character.isLetter(letter)) {
            throw reader.failure(begin, "'\\" + Character.toString(letter) + "' has no meaning");
        }
        return letter;
    }

    private static boolean isDigit(int letter) {
        return letter >= '0' && letter <= '9';
    }

    private int control(int begin) {
        int letter = reader.peek();
        if (letter < 'A' || letter > 'z' || letter > 'Z' && letter < 'a') {
            throw reader.failure(begin, "a letter is missing after '\\c'");
        }
        return reader.next() & 0x1F;
    }

    private int digits(int begin, int count) {
        int value = reader.hex(count);
        if (value < 0) {
            throw reader.failure(begin, "an escape lacks its " + count + " hexadecimal digits");
        }
        return value;
    }

    private int unicode(int begin) {
        if (reader.eat("{")) {
            return braced(begin);
        }
        int value = digits(begin, 4);
        int behind = reader.index();
        if (Character.isHighSurrogate((char) value) && reader.eat("\\u")) {
            int low = reader.hex(4);
            if (low >= 0 && Character.isLowSurrogate((char) low)) {
                return Character.toCodePoint((char) value, (char) low);
            }
            reader.returnTo(behind);
        }
        return value;
    }

    private int braced(int begin) {
        int value = 0;
        int count = 0;
        for (int digit = reader.hex(1); digit >= 0; digit = reader.hex(1)) {
            value = Math.min(value * 16 + digit, Character.MAX_CODE_POINT + 1);
            count++;
        }
        if (count == 0 || value > Character.MAX_CODE_POINT || !reader.eat("}")) {
            throw reader.failure(begin, "expected a code point in braces");
        }
        return value;
    }

    private CodePointSet property(int begin) {
        if (!reader.eat("{")) {
            throw reader.failure(begin, "expected a property in braces");
        }
        String name = reader.until('}');
        return UnicodeProperties.of(name)
                .orElseThrow(
                        () -> reader.failure(begin, "the property is not known or not supported"));
    }
}
