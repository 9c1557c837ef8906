package dev.varve.platform.template;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** The number types of Python's format strings, without width and sign. */
final class NumberFormat {
    private static final int MAX_PRECISION = 1_000;

    private NumberFormat() {}

    /** Formats by type letter; a negative precision selects the default, which is 6. */
    static String format(Value value, char type, int precision) {
        if (!PythonArithmetic.isNumber(value)) {
            throw new EvaluationError(
                    "a number format expects a number, found " + value.typeName());
        }
        if (precision > MAX_PRECISION) {
            throw new EvaluationError("the precision of a format is above " + MAX_PRECISION);
        }
        return switch (type) {
            case 'd' -> padded(whole(value).toString(), precision);
            case 'x' -> padded(exact(value).toString(16), precision);
            case 'X' -> padded(exact(value).toString(16).toUpperCase(Locale.ROOT), precision);
            case 'o' -> padded(exact(value).toString(8), precision);
            default -> real(PythonArithmetic.real(value), type, precision < 0 ? 6 : precision);
        };
    }

    private static BigInteger whole(Value value) {
        if (value instanceof Value.Real(double number)) {
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw new EvaluationError("an integer format expects a finite number");
            }
            return new BigDecimal(number).toBigInteger();
        }
        return exact(value);
    }

    private static BigInteger exact(Value value) {
        return PythonArithmetic.integer(value)
                .orElseThrow(
                        () ->
                                new EvaluationError(
                                        "an integer format expects an integer, found "
                                                + value.typeName()));
    }

    private static String padded(String digits, int precision) {
        boolean negative = digits.startsWith("-");
        int missing = precision - (digits.length() - (negative ? 1 : 0));
        return missing <= 0
                ? digits
                : (negative ? "-" : "") + "0".repeat(missing) + digits.substring(negative ? 1 : 0);
    }

    private static String real(double value, char type, int precision) {
        boolean upper = Character.isUpperCase(type);
        String text;
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            text = PythonText.real(value);
        } else {
            String magnitude = magnitude(Math.abs(value), Character.toLowerCase(type), precision);
            text = Double.compare(value, 0.0) < 0 ? "-" + magnitude : magnitude;
        }
        return upper ? text.toUpperCase(Locale.ROOT) : text;
    }

    private static String magnitude(double value, char type, int precision) {
        return switch (type) {
            case 'f' ->
                    new BigDecimal(value)
                            .setScale(precision, RoundingMode.HALF_EVEN)
                            .toPlainString();
            case 'e' -> scientific(value, precision);
            default -> general(value, Math.max(1, precision));
        };
    }

    private static String scientific(double value, int precision) {
        BigDecimal rounded =
                new BigDecimal(value).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        String digits = rounded.unscaledValue().toString();
        int exponent = value == 0 ? 0 : digits.length() - 1 - rounded.scale();
        String padded =
                (digits + "0".repeat(Math.max(0, precision + 1 - digits.length())))
                        .substring(0, precision + 1);
        return padded.charAt(0)
                + (precision == 0 ? "" : "." + padded.substring(1))
                + exponent(exponent);
    }

    private static String exponent(int exponent) {
        return (exponent < 0 ? "e-" : "e+")
                + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }

    private static String general(double value, int precision) {
        if (value == 0) {
            return "0";
        }
        BigDecimal rounded =
                new BigDecimal(value).round(new MathContext(precision, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - 1 - rounded.scale();
        if (exponent < -4 || exponent >= precision) {
            String text = scientific(value, precision - 1);
            int e = text.indexOf('e');
            return trimmed(text.substring(0, e)) + text.substring(e);
        }
        return trimmed(
                rounded.setScale(Math.max(0, precision - 1 - exponent), RoundingMode.HALF_EVEN)
                        .toPlainString());
    }

    private static String trimmed(String digits) {
        return digits.indexOf('.') < 0
                ? digits
                : digits.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
}
