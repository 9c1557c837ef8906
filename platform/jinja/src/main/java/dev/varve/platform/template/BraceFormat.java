package dev.varve.platform.template;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code '{} and {name:>8}'.format(...)}; the format cannot access attributes and items of the
 * values.
 */
final class BraceFormat {
    private static final Pattern SPEC =
            Pattern.compile(
                    "(?:(?<fill>.)?(?<align>[<>^=]))?(?<sign>[-+"
                            + " ])?(?<zero>0)?(?<width>\\d{1,6})?(?<comma>[,_])?"
                            + "(?:\\.(?<precision>\\d{1,6}))?(?<type>[sdxXofFeEgG%])?",
                    Pattern.DOTALL);

    private final RenderContext runtime;
    private int automatic;

    BraceFormat(RenderContext runtime) {
        this.runtime = runtime;
    }

    TemplateString format(TemplateString format, Arguments arguments) {
        String text = format.text();
        TemplateString.Builder out = runtime.budget().builder();
        int at = 0;
        while (at < text.length()) {
            runtime.budget().step();
            char c = text.charAt(at);
            if (c != '{' && c != '}') {
                int next = nextBrace(text, at);
                out.append(format, at, next);
                at = next;
            } else if (at + 1 < text.length() && text.charAt(at + 1) == c) {
                out.append(format, at, at + 1);
                at += 2;
            } else {
                int close = text.indexOf('}', at);
                if (c == '}' || close < 0) {
                    throw new EvaluationError("a format has an unmatched brace");
                }
                out.append(field(text.substring(at + 1, close), arguments));
                at = close + 1;
            }
        }
        return runtime.budget().counted(out.build());
    }

    private static int nextBrace(String text, int from) {
        int next = from;
        while (next < text.length() && text.charAt(next) != '{' && text.charAt(next) != '}') {
            next++;
        }
        return next;
    }

    private TemplateString field(String field, Arguments arguments) {
        int colon = field.indexOf(':');
        String spec = colon < 0 ? "" : field.substring(colon + 1);
        Value value = value(colon < 0 ? field : field.substring(0, colon), arguments);
        Matcher matcher = SPEC.matcher(spec);
        if (!matcher.matches()) {
            throw new EvaluationError("a format has an unknown specification");
        }
        return formatted(value, matcher);
    }

    private Value value(String name, Arguments arguments) {
        if (name.isEmpty()
                || name.chars().allMatch(c -> c >= '0' && c <= '9') && name.length() < 6) {
            int index = name.isEmpty() ? automatic++ : Integer.parseInt(name);
            if (index >= arguments.positional().size()) {
                throw new EvaluationError("a format has too few values");
            }
            return arguments.positional().get(index);
        }
        return Optional.ofNullable(arguments.keywords().get(name))
                .orElseThrow(() -> new EvaluationError("a format lacks a named value"));
    }

    private TemplateString formatted(Value value, Matcher spec) {
        Optional<String> type = Optional.ofNullable(spec.group("type"));
        int precision =
                Optional.ofNullable(spec.group("precision")).map(Integer::parseInt).orElse(-1);
        boolean numeric =
                PythonArithmetic.isNumber(value)
                        && !(value instanceof Value.Bool && type.isEmpty());
        TemplateString body =
                numeric ? number(value, type, precision, spec) : string(value, type, precision);
        long width = Optional.ofNullable(spec.group("width")).map(Long::parseLong).orElse(0L);
        long missing = width - body.codePointCount();
        if (missing <= 0) {
            return body;
        }
        boolean zero = spec.group("zero") != null && spec.group("align") == null;
        String align =
                Optional.ofNullable(spec.group("align"))
                        .orElse(zero && numeric ? "=" : numeric ? ">" : "<");
        String fillText = Optional.ofNullable(spec.group("fill")).orElse(zero ? "0" : " ");
        return aligned(body, TemplateString.trusted(fillText), align, missing);
    }

    private TemplateString aligned(
            TemplateString body, TemplateString fill, String align, long missing) {
        TemplateStringOperations strings = new TemplateStringOperations(runtime.budget());
        return switch (align) {
            case "<" -> strings.padded(body, fill, 0, missing);
            case ">" -> strings.padded(body, fill, missing, 0);
            case "^" -> strings.padded(body, fill, missing / 2, missing - missing / 2);
            default -> {
                int sign = !body.isEmpty() && "+- ".indexOf(body.text().charAt(0)) >= 0 ? 1 : 0;
                yield strings.concat(
                        body.substring(0, sign),
                        strings.padded(body.substring(sign, body.length()), fill, missing, 0));
            }
        };
    }

    private TemplateString string(Value value, Optional<String> type, int precision) {
        if (type.isPresent() && !type.get().equals("s")) {
            throw new EvaluationError(
                    "a number format expects a number, found " + value.typeName());
        }
        TemplateString string = runtime.str(value);
        boolean whole = precision < 0 || string.codePointCount() <= precision;
        return whole ? string : string.substring(0, string.indexOfCodePoint(precision));
    }

    private TemplateString number(Value value, Optional<String> type, int precision, Matcher spec) {
        String text;
        if (type.isEmpty() && precision < 0) {
            text = runtime.str(value).text();
        } else {
            char letter = type.orElse("g").charAt(0);
            boolean percent = letter == '%';
            Value scaled = percent ? new Value.Real(PythonArithmetic.real(value) * 100) : value;
            if (letter == 's' || value instanceof Value.Real && "dxXo".indexOf(letter) >= 0) {
                throw new EvaluationError("a format does not fit " + value.typeName());
            }
            text =
                    NumberFormat.format(scaled, percent ? 'f' : letter, precision)
                            + (percent ? "%" : "");
        }
        if (spec.group("comma") != null) {
            text = grouped(text, spec.group("comma"));
        }
        String sign = spec.group("sign");
        boolean plus = sign != null && !sign.equals("-") && !text.startsWith("-");
        return TemplateString.trusted(plus ? sign + text : text);
    }

    private static String grouped(String text, String separator) {
        int begin = text.startsWith("-") ? 1 : 0;
        int end = begin;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        StringBuilder grouped = new StringBuilder(text);
        for (int i = end - 3; i > begin; i -= 3) {
            grouped.insert(i, separator);
        }
        return grouped.toString();
    }
}
