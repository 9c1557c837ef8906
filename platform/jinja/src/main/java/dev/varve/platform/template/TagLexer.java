package dev.varve.platform.template;

import dev.varve.platform.template.TemplateToken.Kind;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/** Splits the inside of one tag into names, literals and operators. */
final class TagLexer {
    private static final Set<String> LONG_OPERATORS = Set.of("//", "**", "==", "!=", ">=", "<=");
    private static final String SHORT_OPERATORS = "+-/*%~[](){}><=.:|,;";

    private final String source;
    private final IntUnaryOperator lineAt;
    private final List<TemplateToken> tokens;
    private final Deque<Character> open = new ArrayDeque<>();
    private int at;

    TagLexer(String source, int begin, IntUnaryOperator lineAt, List<TemplateToken> tokens) {
        this.source = source;
        this.at = begin;
        this.lineAt = lineAt;
        this.tokens = tokens;
    }

    int position() {
        return at;
    }

    /**
     * Skips whitespace and returns whether the closing mark of the tag comes next, its sign
     * included.
     */
    boolean atEnd(boolean block) {
        while (at < source.length() && PythonText.isSpace(source.charAt(at))) {
            at++;
        }
        if (at == source.length()) {
            throw fail("the tag is not closed");
        }
        String close = block ? "%}" : "}}";
        char sign = source.charAt(at);
        boolean signed = (sign == '-' || block && sign == '+') && source.startsWith(close, at + 1);
        return open.isEmpty() && (signed || source.startsWith(close, at));
    }

    void next() {
        char c = source.charAt(at);
        if (c == '"' || c == '\'') {
            string(c);
        } else if (isDigit(c)) {
            number();
        } else if (Character.isUnicodeIdentifierStart(source.codePointAt(at)) || c == '_') {
            name();
        } else {
            operator(c);
        }
    }

    private void name() {
        int begin = at;
        while (at < source.length() && isNamePart(source.codePointAt(at))) {
            at += Character.charCount(source.codePointAt(at));
        }
        add(Kind.NAME, begin, source.substring(begin, at));
    }

    private static boolean isNamePart(int codePoint) {
        return Character.isUnicodeIdentifierPart(codePoint)
                && !Character.isIdentifierIgnorable(codePoint);
    }

    private void string(char quote) {
        int begin = at;
        int end = at + 1;
        while (end < source.length() && source.charAt(end) != quote) {
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= source.length()) {
            throw fail("the string is not closed");
        }
        at = end + 1;
        add(
                Kind.STRING,
                begin,
                StringLiterals.decode(source.substring(begin + 1, end), lineAt.applyAsInt(begin)));
    }

    private void number() {
        int begin = at;
        boolean afterDot = begin > 0 && source.charAt(begin - 1) == '.';
        if (source.charAt(begin) == '0'
                && begin + 1 < source.length()
                && radixNumber(source.charAt(begin + 1))) {
            return;
        }
        int end = digits(begin);
        int fractionEnd =
                end < source.length() && source.charAt(end) == '.' ? digits(end + 1) : end;
        boolean fraction = fractionEnd > end + 1;
        int mantissaEnd = fraction ? fractionEnd : end;
        int exponentEnd = exponent(mantissaEnd);
        if (!afterDot && (fraction || exponentEnd > mantissaEnd)) {
            at = Math.max(mantissaEnd, exponentEnd);
            add(Kind.FLOAT, begin, source.substring(begin, at).replace("_", ""));
            return;
        }
        at = source.charAt(begin) == '0' ? zeros(begin) : end;
        add(Kind.INTEGER, begin, source.substring(begin, at).replace("_", ""));
    }

    private boolean radixNumber(char letter) {
        int radix =
                switch (letter) {
                    case 'x', 'X' -> 16;
                    case 'o', 'O' -> 8;
                    case 'b', 'B' -> 2;
                    default -> 0;
                };
        int begin = at;
        int end = begin + 2;
        while (radix > 0
                && end < source.length()
                && (Character.digit(source.charAt(end), radix) >= 0 || source.charAt(end) == '_')) {
            end++;
        }
        String digits = radix == 0 ? "" : source.substring(begin + 2, end).replace("_", "");
        if (digits.isEmpty() || digits.length() > PythonArithmetic.MAX_DIGITS) {
            return false;
        }
        at = end;
        add(Kind.INTEGER, begin, new java.math.BigInteger(digits, radix).toString());
        return true;
    }

    private int zeros(int begin) {
        int end = begin;
        while (end < source.length() && source.charAt(end) == '0') {
            end++;
        }
        return end;
    }

    /** Returns the end of a run of digits that single underscores may separate. */
    private int digits(int begin) {
        int end = begin;
        while (end < source.length()
                && (isDigit(source.charAt(end))
                        || end > begin
                                && source.charAt(end) == '_'
                                && end + 1 < source.length()
                                && isDigit(source.charAt(end + 1)))) {
            end++;
        }
        return end;
    }

    private int exponent(int begin) {
        if (begin >= source.length() || "eE".indexOf(source.charAt(begin)) < 0) {
            return begin;
        }
        int digits = begin + 1;
        if (digits < source.length() && "+-".indexOf(source.charAt(digits)) >= 0) {
            digits++;
        }
        int end = digits(digits);
        return end > digits ? end : begin;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void operator(char c) {
        int begin = at;
        String two = at + 1 < source.length() ? source.substring(at, at + 2) : "";
        if (LONG_OPERATORS.contains(two)) {
            at += 2;
            add(Kind.OPERATOR, begin, two);
            return;
        }
        if (SHORT_OPERATORS.indexOf(c) < 0) {
            throw fail("unexpected character");
        }
        balance(c);
        at++;
        add(Kind.OPERATOR, begin, String.valueOf(c));
    }

    private void balance(char c) {
        switch (c) {
            case '(' -> open.push(')');
            case '[' -> open.push(']');
            case '{' -> open.push('}');
            case ')', ']', '}' -> {
                if (open.isEmpty() || open.pop() != c) {
                    throw fail("unexpected '" + c + "'");
                }
            }
            default -> {}
        }
    }

    private void add(Kind kind, int begin, String text) {
        tokens.add(new TemplateToken(kind, text, lineAt.applyAsInt(begin)));
    }

    private TemplateException fail(String message) {
        return TemplateException.at(lineAt.applyAsInt(at), message);
    }
}
