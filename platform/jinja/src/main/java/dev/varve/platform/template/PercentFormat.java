package dev.varve.platform.template;

import java.util.List;
import java.util.Optional;

/** The {@code %} operator on strings: {@code '%s is %.2f' % (name, value)}. */
final class PercentFormat {
    private final RenderContext runtime;
    private final TemplateString format;
    private final Value operand;
    private final List<Value> values;
    private int nextValue;
    private int at;

    PercentFormat(RenderContext runtime, TemplateString format, Value operand) {
        this.runtime = runtime;
        this.format = format;
        this.operand = operand;
        this.values =
                operand instanceof Value.Sequence tuple && tuple.shape().isTuple()
                        ? tuple.items()
                        : List.of(operand);
    }

    TemplateString format() {
        String text = format.text();
        TemplateString.Builder out = runtime.budget().builder();
        while (at < text.length()) {
            runtime.budget().step();
            int percent = text.indexOf('%', at);
            out.append(format, at, percent < 0 ? text.length() : percent);
            if (percent < 0) {
                break;
            }
            at = percent + 1;
            directive(out);
        }
        // An object that can be indexed might be looked up by name, so it may stay unused; tuples
        // and strings may not.
        boolean mayBeUnused =
                operand instanceof Dict
                        || operand instanceof Value.Sequence sequence
                                && !sequence.shape().isTuple();
        if (!mayBeUnused && nextValue < values.size()) {
            throw new EvaluationError("not all values of a format were used");
        }
        return runtime.budget().counted(out.build());
    }

    private void directive(TemplateString.Builder out) {
        Optional<Value> named = Optional.empty();
        if (peek() == '(') {
            int close = format.text().indexOf(')', at);
            if (close < 0 || !(operand instanceof Dict dict)) {
                throw new EvaluationError("a format with names needs a dict");
            }
            named =
                    Optional.of(
                            dict.get(TemplateString.trusted(format.text().substring(at + 1, close)))
                                    .orElseThrow(
                                            () ->
                                                    new EvaluationError(
                                                            "the dict of a format lacks a name")));
            at = close + 1;
        }
        StringBuilder flags = new StringBuilder();
        while ("-+ #0".indexOf(peek()) >= 0) {
            flags.append(format.text().charAt(at++));
        }
        int width = number();
        int precision = -1;
        if (peek() == '.') {
            at++;
            precision = number();
        }
        char type = peek();
        at++;
        if (type == '%') {
            out.append("%", true);
            return;
        }
        Value value = named.orElseGet(this::nextValue);
        out.append(formatted(value, type, flags.toString(), width, precision));
    }

    private char peek() {
        if (at >= format.length()) {
            throw new EvaluationError("a format ends within a directive");
        }
        return format.text().charAt(at);
    }

    private int number() {
        int number = 0;
        while (at < format.length()
                && Character.digit(format.text().charAt(at), 10) >= 0
                && number < 1_000_000) {
            number = number * 10 + Character.digit(format.text().charAt(at++), 10);
        }
        return number;
    }

    private Value nextValue() {
        if (nextValue >= values.size()) {
            throw new EvaluationError("a format has too few values");
        }
        return values.get(nextValue++);
    }

    private TemplateString formatted(
            Value value, char type, String flags, int width, int precision) {
        TemplateString body =
                switch (type) {
                    case 's' -> cut(runtime.str(value), precision);
                    case 'r', 'a' -> cut(repr(value), precision);
                    case 'c' -> character(value);
                    case 'd', 'i', 'u', 'x', 'X', 'o', 'e', 'E', 'f', 'F', 'g', 'G' ->
                            TemplateString.trusted(
                                    NumberFormat.format(
                                            value,
                                            type == 'i' || type == 'u' ? 'd' : type,
                                            precision));
                    default -> throw new EvaluationError("a format has an unknown directive");
                };
        boolean numeric = "sRrac".indexOf(type) < 0;
        boolean negative = numeric && body.text().startsWith("-");
        String sign =
                !numeric || negative
                        ? ""
                        : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
        TemplateString signed =
                new TemplateStringOperations(runtime.budget())
                        .concat(TemplateString.trusted(sign), body);
        long missing = (long) width - signed.codePointCount();
        TemplateStringOperations strings = new TemplateStringOperations(runtime.budget());
        if (flags.contains("-")) {
            return strings.padded(signed, TemplateString.trusted(" "), 0, missing);
        }
        if (flags.contains("0") && numeric) {
            int split = sign.isEmpty() && !negative ? 0 : 1;
            return strings.concat(
                    signed.substring(0, split),
                    strings.padded(
                            signed.substring(split, signed.length()),
                            TemplateString.trusted("0"),
                            missing,
                            0));
        }
        return strings.padded(signed, TemplateString.trusted(" "), missing, 0);
    }

    /** Returns how the value is printed inside a list. */
    private TemplateString repr(Value value) {
        TemplateString list = runtime.str(Value.Sequence.list(List.of(value)));
        return list.substring(1, list.length() - 1);
    }

    private static TemplateString cut(TemplateString string, int precision) {
        boolean whole = precision < 0 || string.codePointCount() <= precision;
        return whole ? string : string.substring(0, string.indexOfCodePoint(precision));
    }

    private static TemplateString character(Value value) {
        if (value instanceof TemplateString string && string.codePointCount() == 1) {
            return string;
        }
        int c = PythonArithmetic.index(value, "%c");
        if (!Character.isValidCodePoint(c)) {
            throw new EvaluationError("%c expects one character");
        }
        return TemplateString.untrusted(Character.toString(c));
    }
}
