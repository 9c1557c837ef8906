package dev.varve.platform.template;

import dev.varve.platform.template.Value.Sequence;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The {@code tojson} filter: JSON as Python's {@code json.dumps} writes it. */
final class JsonFilter {
    /** Notation; an indentation puts each element on its own line. */
    record Style(
            boolean ascii,
            Optional<TemplateString> indent,
            String itemSeparator,
            String keySeparator,
            boolean sorted) {}

    private final RenderContext runtime;
    private final Style style;
    private final TemplateString.Builder out;

    private JsonFilter(RenderContext runtime, Style style) {
        this.runtime = runtime;
        this.style = style;
        this.out = runtime.budget().builder();
    }

    static Value filter(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound =
                arguments.bind("tojson", "ensure_ascii", "indent", "separators", "sort_keys");
        Optional<TemplateString> indent =
                bound.find("indent").flatMap(value -> indent(runtime, value));
        List<Value> separators =
                bound.find("separators")
                        .filter(value -> !(value instanceof Value.None))
                        .map(runtime::items)
                        .orElse(List.of());
        Style style =
                new Style(
                        bound.flag("ensure_ascii", false),
                        indent,
                        separators.size() == 2
                                ? runtime.str(separators.get(0)).text()
                                : indent.isPresent() ? "," : ", ",
                        separators.size() == 2 ? runtime.str(separators.get(1)).text() : ": ",
                        bound.flag("sort_keys", false));
        JsonFilter json = new JsonFilter(runtime, style);
        json.value(input, 0);
        return runtime.budget().counted(json.out.build());
    }

    private static Optional<TemplateString> indent(RenderContext runtime, Value value) {
        return switch (value) {
            case Value.None none -> Optional.empty();
            case TemplateString string -> Optional.of(string);
            default -> {
                int width = Math.max(0, PythonArithmetic.index(value, "tojson"));
                yield Optional.of(
                        new TemplateStringOperations(runtime.budget())
                                .repeat(TemplateString.untrusted(" "), width));
            }
        };
    }

    private void value(Value value, int level) {
        runtime.budget().enter();
        switch (value) {
            case TemplateString string -> string(string);
            case Value.None none -> out.append("null", false);
            case Value.Bool bool -> out.append(bool.value() ? "true" : "false", false);
            case Value.Int integer -> out.append(integer.value().toString(), false);
            case Value.Real real -> out.append(real(real.value()), false);
            case Sequence sequence
                    when sequence.shape() == Value.Shape.LIST || sequence.shape().isTuple() ->
                    array(sequence.items(), level);
            case Dict dict -> object(dict, level);
            case Value.Undefined undefined -> throw undefined.error();
            default -> throw new EvaluationError("tojson cannot write " + value.typeName());
        }
        runtime.budget().leave();
    }

    private static String real(double value) {
        return Double.isNaN(value)
                ? "NaN"
                : Double.isInfinite(value)
                        ? (value > 0 ? "Infinity" : "-Infinity")
                        : PythonText.real(value);
    }

    private void array(List<Value> items, int level) {
        out.append("[", false);
        for (int i = 0; i < items.size(); i++) {
            separate(i == 0, level + 1);
            value(items.get(i), level + 1);
        }
        close(items.isEmpty(), level, "]");
    }

    private void object(Dict dict, int level) {
        List<Dict.Entry> entries = new ArrayList<>(dict.entries());
        if (style.sorted()) {
            entries.sort(Comparator.comparing(Dict.Entry::key, runtime.order()::compare));
        }
        out.append("{", false);
        for (int i = 0; i < entries.size(); i++) {
            separate(i == 0, level + 1);
            key(entries.get(i).key());
            out.append(style.keySeparator(), false);
            value(entries.get(i).value(), level + 1);
        }
        close(entries.isEmpty(), level, "}");
    }

    private void separate(boolean first, int level) {
        out.append(first ? "" : style.itemSeparator(), false);
        newLine(level);
    }

    private void close(boolean empty, int level, String bracket) {
        if (!empty) {
            newLine(level);
        }
        out.append(bracket, false);
    }

    private void newLine(int level) {
        style.indent()
                .ifPresent(
                        indent -> {
                            out.append("\n", false);
                            for (int i = 0; i < level; i++) {
                                runtime.budget().step();
                                out.append(indent);
                            }
                        });
    }

    private void key(Value key) {
        switch (key) {
            case TemplateString string -> string(string);
            case Value.None none -> out.append("\"null\"", false);
            case Value.Bool bool -> out.append(bool.value() ? "\"true\"" : "\"false\"", false);
            case Value.Int integer -> out.append("\"" + integer.value() + "\"", false);
            case Value.Real real -> out.append("\"" + real(real.value()) + "\"", false);
            default ->
                    throw new EvaluationError(
                            "tojson cannot write a key of type " + key.typeName());
        }
    }

    private void string(TemplateString string) {
        String text = string.text();
        out.append("\"", false);
        int plainFrom = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || c == '"' || c == '\\' || style.ascii() && c > '~') {
                out.append(string, plainFrom, i);
                out.append(escape(c), string.isTrusted(i));
                plainFrom = i + 1;
            }
        }
        out.append(string, plainFrom, text.length());
        out.append("\"", false);
    }

    private static String escape(char c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case '\f' -> "\\f";
            case '\b' -> "\\b";
            default -> String.format(Locale.ROOT, "\\u%04x", (int) c);
        };
    }
}
