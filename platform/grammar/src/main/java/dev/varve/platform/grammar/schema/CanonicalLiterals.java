package dev.varve.platform.grammar.schema;

import tools.jackson.databind.JsonNode;

import java.math.BigDecimal;
import java.util.Locale;

/** The canonical notation of strings and numbers in this package. */
final class CanonicalLiterals {
    private CanonicalLiterals() {}

    /** A string with its quotes. */
    static String quoted(String value) {
        return '"' + escaped(value) + '"';
    }

    /** The text between the quotes of a string, with only the necessary escapes. */
    static String escaped(String value) {
        StringBuilder text = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            text.append(escaped(value.charAt(i)));
        }
        return text.toString();
    }

    private static String escaped(char letter) {
        return switch (letter) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default ->
                    letter < ' '
                            ? String.format(Locale.ROOT, "\\u%04x", (int) letter)
                            : String.valueOf(letter);
        };
    }

    /** A number without an exponent and without trailing zeros of its fraction. */
    static String number(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }

    /** Returns whether a string has no unpaired surrogate, which UTF-8 cannot encode. */
    static boolean isUnicode(String value) {
        return value.codePoints().noneMatch(each -> each >= 0xd800 && each <= 0xdfff);
    }

    /** Returns whether this holds for all strings and names in a value. */
    static boolean isUnicode(JsonNode value) {
        return value.isString()
                ? isUnicode(value.stringValue())
                : value.propertyNames().stream().allMatch(CanonicalLiterals::isUnicode)
                        && value.values().stream().allMatch(CanonicalLiterals::isUnicode);
    }
}
