package dev.varve.platform.template;

/** Escapes of string literals, as in Python. */
final class StringLiterals {
    private StringLiterals() {}

    static String decode(String literal, int line) {
        if (literal.indexOf('\\') < 0) {
            return literal;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < literal.length(); ) {
            char c = literal.charAt(i);
            i = c == '\\' ? escape(literal, i + 1, text, line) : i + 1;
            if (c != '\\') {
                text.append(c);
            }
        }
        return text.toString();
    }

    /** Decodes the escape whose letter is at {@code at}; returns the index after it. */
    private static int escape(String literal, int at, StringBuilder text, int line) {
        char c = literal.charAt(at);
        int plain = "\\'\"abfnrtv\n".indexOf(c);
        if (plain >= 0) {
            text.append(
                    c == '\n' ? "" : String.valueOf("\\'\"\u0007\b\f\n\r\t\u000b".charAt(plain)));
            return at + 1;
        }
        return switch (c) {
            case 'x' -> hex(literal, at + 1, 2, text, line);
            case 'u' -> hex(literal, at + 1, 4, text, line);
            case 'U' -> hex(literal, at + 1, 8, text, line);
            case 'N' -> named(literal, at + 1, text, line);
            case '0', '1', '2', '3', '4', '5', '6', '7' -> octal(literal, at, text);
            default -> {
                text.append('\\');
                yield at;
            }
        };
    }

    private static int hex(String literal, int begin, int digits, StringBuilder text, int line) {
        int codePoint = 0;
        for (int i = begin; i < begin + digits; i++) {
            int digit = i < literal.length() ? Character.digit(literal.charAt(i), 16) : -1;
            if (digit < 0 || codePoint > Character.MAX_CODE_POINT) {
                throw TemplateException.at(
                        line, "an escape needs " + digits + " hexadecimal digits");
            }
            codePoint = codePoint * 16 + digit;
        }
        if (codePoint > Character.MAX_CODE_POINT) {
            throw TemplateException.at(line, "an escape is not a Unicode character");
        }
        text.appendCodePoint(codePoint);
        return begin + digits;
    }

    private static int named(String literal, int begin, StringBuilder text, int line) {
        int end = literal.indexOf('}', begin);
        if (end < 0 || literal.charAt(begin) != '{') {
            throw TemplateException.at(line, "expected a named escape such as \\N{BULLET}");
        }
        try {
            text.appendCodePoint(Character.codePointOf(literal.substring(begin + 1, end)));
        } catch (IllegalArgumentException e) {
            throw TemplateException.at(line, "a named escape has an unknown name");
        }
        return end + 1;
    }

    private static int octal(String literal, int begin, StringBuilder text) {
        int end = begin;
        int codePoint = 0;
        while (end < literal.length()
                && end < begin + 3
                && Character.digit(literal.charAt(end), 8) >= 0) {
            codePoint = codePoint * 8 + Character.digit(literal.charAt(end++), 8);
        }
        text.appendCodePoint(codePoint);
        return end;
    }
}
