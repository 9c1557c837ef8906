package dev.varve.platform.template;

import java.math.BigDecimal;
import java.util.Locale;

/** Text of values as Python prints them. */
final class PythonText {
    private PythonText() {}

    /**
     * Returns whether {@code str.isspace} holds for this UTF-16 unit; no space lies outside the
     * basic plane.
     */
    static boolean isSpace(int c) {
        return c >= 0x09 && c <= 0x0d
                || c >= 0x1c && c <= 0x20
                || c == 0x85
                || c == 0xa0
                || c >= 0x1680
                        && (c == 0x1680
                                || c >= 0x2000 && c <= 0x200a
                                || c == 0x2028
                                || c == 0x2029
                                || c == 0x202f
                                || c == 0x205f
                                || c == 0x3000);
    }

    static int endWithoutSpace(String text) {
        int end = text.length();
        while (end > 0 && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return end;
    }

    static int beginWithoutSpace(String text) {
        int begin = 0;
        while (begin < text.length() && isSpace(text.charAt(begin))) {
            begin++;
        }
        return begin;
    }

    /**
     * Returns {@code str(value)}. Numbers, booleans and {@code None} count as text of the template,
     * since they cannot spell a special token; the brackets and quotes of containers do not.
     */
    static TemplateString str(Value value, RenderBudget budget) {
        return switch (value) {
            case TemplateString string -> string;
            case Value.Undefined undefined -> TemplateString.EMPTY;
            case Value.None none -> TemplateString.trusted("None");
            case Value.Bool bool -> TemplateString.trusted(bool.value() ? "True" : "False");
            case Value.Int integer -> {
                budget.steps(integer.value().bitLength() / 16);
                yield TemplateString.trusted(integer.value().toString());
            }
            case Value.Real real -> TemplateString.trusted(real(real.value()));
            default -> {
                TemplateString.Builder out = budget.builder();
                repr(value, out, budget);
                yield budget.counted(out.build());
            }
        };
    }

    private static void repr(Value value, TemplateString.Builder out, RenderBudget budget) {
        budget.enter();
        switch (value) {
            case TemplateString string -> quoted(string, out);
            case Value.None none -> out.append("None", false);
            case Value.Undefined undefined -> out.append("Undefined", false);
            case Value.Bool bool -> out.append(bool.value() ? "True" : "False", false);
            case Value.Int integer -> out.append(integer.value().toString(), false);
            case Value.Real real -> out.append(real(real.value()), false);
            case Value.Sequence sequence -> sequence(sequence, out, budget);
            case Dict dict -> dict(dict, out, budget);
            case Value.Generator generator -> out.append("<generator object>", false);
            case Value.Callable callable -> out.append("<function " + callable.name() + ">", false);
            case NamespaceObject namespace -> out.append("<Namespace>", false);
            case Loop loop -> out.append("<LoopContext>", false);
        }
        budget.leave();
    }

    private static void sequence(
            Value.Sequence sequence, TemplateString.Builder out, RenderBudget budget) {
        int size = sequence.items().size();
        if (sequence.shape() == Value.Shape.RANGE) {
            out.append(range(sequence), false);
            return;
        }
        if (sequence.shape().isView()) {
            out.append(sequence.typeName() + "(", false);
        }
        boolean tuple = sequence.shape().isTuple();
        out.append(tuple ? "(" : "[", false);
        for (int i = 0; i < size; i++) {
            out.append(i == 0 ? "" : ", ", false);
            repr(sequence.items().get(i), out, budget);
        }
        out.append(!tuple ? "]" : size == 1 ? ",)" : ")", false);
        if (sequence.shape().isView()) {
            out.append(")", false);
        }
    }

    /** The end is derived from the elements, as only they are stored. */
    private static String range(Value.Sequence range) {
        long[] items =
                range.items().stream()
                        .mapToLong(item -> PythonArithmetic.index(item, "range"))
                        .toArray();
        if (items.length == 0) {
            return "range(0, 0)";
        }
        long step = items.length == 1 ? 1 : items[1] - items[0];
        long end = items[items.length - 1] + step;
        return "range(" + items[0] + ", " + end + (step == 1 ? ")" : ", " + step + ")");
    }

    private static void dict(Dict dict, TemplateString.Builder out, RenderBudget budget) {
        out.append("{", false);
        boolean first = true;
        for (Dict.Entry entry : dict.entries()) {
            out.append(first ? "" : ", ", false);
            first = false;
            repr(entry.key(), out, budget);
            out.append(": ", false);
            repr(entry.value(), out, budget);
        }
        out.append("}", false);
    }

    private static void quoted(TemplateString string, TemplateString.Builder out) {
        String text = string.text();
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        out.append(String.valueOf(quote), false);
        int plainFrom = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            int next = i + Character.charCount(c);
            if (c == quote || c == '\\' || !isPrintable(c)) {
                out.append(string, plainFrom, i);
                out.append(escape(c, quote), string.isTrusted(i));
                plainFrom = next;
            }
            i = next;
        }
        out.append(string, plainFrom, text.length());
        out.append(String.valueOf(quote), false);
    }

    private static String escape(int c, char quote) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> {
                if (c == quote || c == '\\') {
                    yield "\\" + (char) c;
                }
                yield c < 0x100
                        ? String.format(Locale.ROOT, "\\x%02x", c)
                        : c < 0x10000
                                ? String.format(Locale.ROOT, "\\u%04x", c)
                                : String.format(Locale.ROOT, "\\U%08x", c);
            }
        };
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    /** Returns {@code repr} of a float: the shortest digits that read back as the same value. */
    static String real(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value > 0 ? "0.0" : "-0.0";
        }
        BigDecimal shortest = new BigDecimal(Double.toString(Math.abs(value))).stripTrailingZeros();
        String digits = shortest.unscaledValue().toString();
        int point = digits.length() - shortest.scale();
        String text;
        if (point > 16 || point <= -4) {
            int exponent = point - 1;
            String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
            text =
                    digits.charAt(0)
                            + fraction
                            + (exponent < 0 ? "e-" : "e+")
                            + (Math.abs(exponent) < 10 ? "0" : "")
                            + Math.abs(exponent);
        } else if (point <= 0) {
            text = "0." + "0".repeat(-point) + digits;
        } else if (point >= digits.length()) {
            text = digits + "0".repeat(point - digits.length()) + ".0";
        } else {
            text = digits.substring(0, point) + "." + digits.substring(point);
        }
        return value < 0 ? "-" + text : text;
    }
}
