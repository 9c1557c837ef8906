package dev.varve.platform.template;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Filters on numbers. */
final class NumberFilters {
    private static final Pattern INTEGER = Pattern.compile("[+-]?\\d++(?:_\\d++)*+");
    private static final Pattern REAL =
            Pattern.compile("[+-]?(?:\\d++(?:\\.\\d*+)?|\\.\\d++)(?:[eE][+-]?\\d++)?");

    private NumberFilters() {}

    static void register(Map<String, Filter> filters) {
        filters.put("int", NumberFilters::toInteger);
        filters.put("float", NumberFilters::toReal);
        filters.put("abs", (runtime, input, arguments) -> absolute(input));
        filters.put("round", NumberFilters::round);
    }

    private static Value absolute(Value input) {
        return switch (input) {
            case Value.Real(double number) -> new Value.Real(Math.abs(number));
            case Value.Undefined undefined -> throw undefined.error();
            default ->
                    new Value.Int(
                            PythonArithmetic.integer(input)
                                    .orElseThrow(
                                            () ->
                                                    new EvaluationError(
                                                            "abs expects a number, found "
                                                                    + input.typeName()))
                                    .abs());
        };
    }

    private static Value toInteger(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("int", "default", "base");
        Value fallback = bound.find("default").orElse(Value.Int.of(0));
        int base = bound.integer("base", 10);
        return switch (input) {
            case Value.Undefined undefined -> throw undefined.error();
            case TemplateString string ->
                    parsed(string.text().strip(), base)
                            .or(() -> real(string.text().strip()).flatMap(NumberFilters::truncated))
                            .orElse(fallback);
            case Value.Real(double number) -> truncated(number).orElse(fallback);
            default -> PythonArithmetic.integer(input).<Value>map(Value.Int::new).orElse(fallback);
        };
    }

    private static Optional<Value> parsed(String text, int base) {
        String prefix =
                switch (base) {
                    case 2 -> "0[bB]";
                    case 8 -> "0[oO]";
                    case 16 -> "0[xX]";
                    default -> "";
                };
        String digits = text.replaceFirst("^([+-]?)" + prefix, "$1");
        if (digits.length() > PythonArithmetic.MAX_DIGITS || base < 2 || base > 36) {
            return Optional.empty();
        }
        try {
            boolean wellFormed = base != 10 || INTEGER.matcher(digits).matches();
            return wellFormed
                    ? Optional.of(new Value.Int(new BigInteger(digits.replace("_", ""), base)))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Double> real(String text) {
        return switch (text.toLowerCase(java.util.Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> Optional.of(Double.POSITIVE_INFINITY);
            case "-inf", "-infinity" -> Optional.of(Double.NEGATIVE_INFINITY);
            case "nan", "+nan", "-nan" -> Optional.of(Double.NaN);
            default ->
                    text.length() <= PythonArithmetic.MAX_DIGITS
                                    && REAL.matcher(text.replace("_", "")).matches()
                            ? Optional.of(Double.parseDouble(text.replace("_", "")))
                            : Optional.empty();
        };
    }

    private static Optional<Value> truncated(double value) {
        return Double.isNaN(value) || Double.isInfinite(value)
                ? Optional.empty()
                : Optional.of(new Value.Int(new BigDecimal(value).toBigInteger()));
    }

    private static Value toReal(RenderContext runtime, Value input, Arguments arguments) {
        Value fallback =
                arguments.bind("float", "default").find("default").orElse(new Value.Real(0));
        return switch (input) {
            case Value.Undefined undefined -> throw undefined.error();
            case TemplateString string ->
                    real(string.text().strip()).<Value>map(Value.Real::new).orElse(fallback);
            default ->
                    PythonArithmetic.isNumber(input)
                            ? new Value.Real(PythonArithmetic.real(input))
                            : fallback;
        };
    }

    private static Value round(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("round", "precision", "method");
        int precision = bound.integer("precision", 0);
        String method = bound.string("method").map(TemplateString::text).orElse("common");
        if (input instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        return switch (method) {
            case "common" -> PythonArithmetic.rounded(input, precision);
            case "ceil" -> scaled(input, precision, true);
            case "floor" -> scaled(input, precision, false);
            default -> throw new EvaluationError("round: the method must be common, ceil or floor");
        };
    }

    private static Value scaled(Value input, int precision, boolean up) {
        double factor = Math.pow(10, precision);
        double scaled = PythonArithmetic.real(input) * factor;
        return new Value.Real((up ? Math.ceil(scaled) : Math.floor(scaled)) / factor);
    }
}
