package dev.varve.platform.template;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Filters on text. As in Jinja they convert other values to text first. */
final class TextFilters {
    private TextFilters() {}

    static void register(Map<String, Filter> filters) {
        filters.put("string", (runtime, input, arguments) -> runtime.str(input));
        filters.put("safe", (runtime, input, arguments) -> runtime.str(input));
        filters.put(
                "upper",
                (runtime, input, arguments) ->
                        runtime.budget().counted(runtime.str(input).upper()));
        filters.put(
                "lower",
                (runtime, input, arguments) ->
                        runtime.budget().counted(runtime.str(input).lower()));
        filters.put(
                "capitalize",
                (runtime, input, arguments) -> strings(runtime).capitalize(runtime.str(input)));
        filters.put(
                "title",
                (runtime, input, arguments) ->
                        strings(runtime)
                                .capitalizeWords(
                                        runtime.str(input),
                                        c -> PythonText.isSpace(c) || "-({[<".indexOf(c) >= 0));
        filters.put(
                "trim",
                (runtime, input, arguments) ->
                        TemplateStringOperations.strip(
                                runtime.str(input),
                                arguments.bind("trim", "chars").string("chars"),
                                true,
                                true));
        filters.put("replace", TextFilters::replace);
        filters.put("indent", TextFilters::indent);
        filters.put("center", TextFilters::center);
        filters.put("truncate", TextFilters::truncate);
        filters.put(
                "wordcount",
                (runtime, input, arguments) ->
                        Value.Int.of(
                                java.util.regex.Pattern.compile(
                                                "\\w+",
                                                java.util.regex.Pattern.UNICODE_CHARACTER_CLASS)
                                        .matcher(runtime.str(input).text())
                                        .results()
                                        .count()));
        filters.put(
                "format",
                (runtime, input, arguments) -> {
                    boolean named = !arguments.keywords().isEmpty();
                    return new PercentFormat(
                                    runtime,
                                    runtime.str(input),
                                    named
                                            ? dict(arguments)
                                            : new Value.Sequence(
                                                    arguments.positional(), Value.Shape.TUPLE))
                            .format();
                });
        filters.put("escape", TextFilters::escape);
        filters.put("e", TextFilters::escape);
        filters.put("forceescape", TextFilters::escape);
        filters.put(
                "urlencode",
                (runtime, input, arguments) ->
                        TemplateString.untrusted(
                                URLEncoder.encode(runtime.str(input).text(), StandardCharsets.UTF_8)
                                        .replace("+", "%20")
                                        .replace("%2F", "/")
                                        .replace("%7E", "~")
                                        .replace("*", "%2A")));
    }

    private static TemplateStringOperations strings(RenderContext runtime) {
        return new TemplateStringOperations(runtime.budget());
    }

    private static TemplateString text(Value input, String filter) {
        return switch (input) {
            case TemplateString string -> string;
            case Value.Undefined undefined -> throw undefined.error();
            default ->
                    throw new EvaluationError(
                            filter + " expects a string, found " + input.typeName());
        };
    }

    private static Dict dict(Arguments arguments) {
        Dict dict = new Dict();
        arguments
                .keywords()
                .forEach((name, value) -> dict.put(TemplateString.trusted(name), value));
        return dict;
    }

    private static Value replace(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("replace", "old", "new", "count");
        int count =
                bound.find("count")
                        .filter(value -> !(value instanceof Value.None))
                        .map(value -> PythonArithmetic.index(value, "replace"))
                        .orElse(-1);
        return strings(runtime)
                .replace(
                        runtime.str(input),
                        runtime.str(bound.require("old")),
                        runtime.str(bound.require("new")),
                        count);
    }

    private static Value indent(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("indent", "width", "first", "blank");
        TemplateString indent =
                bound.find("width")
                        .filter(TemplateString.class::isInstance)
                        .map(TemplateString.class::cast)
                        .orElseGet(
                                () ->
                                        strings(runtime)
                                                .repeat(
                                                        TemplateString.trusted(" "),
                                                        bound.integer("width", 4)));
        TemplateStringOperations strings = strings(runtime);
        TemplateString text = strings.concat(text(input, "indent"), TemplateString.trusted("\n"));
        boolean blank = bound.flag("blank", false);
        TemplateString.Builder out = runtime.budget().builder();
        List<Value> lines = strings.splitLines(text, false);
        for (int i = 0; i < lines.size(); i++) {
            TemplateString line = (TemplateString) lines.get(i);
            boolean first = i == 0;
            boolean indented = first ? bound.flag("first", false) : blank || !line.isEmpty();
            out.append(first ? "" : "\n", true);
            out.append(indented ? indent : TemplateString.EMPTY).append(line);
        }
        return runtime.budget().counted(out.build());
    }

    private static Value center(RenderContext runtime, Value input, Arguments arguments) {
        int width = arguments.bind("center", "width").integer("width", 80);
        return runtime.call(
                StringMethods.find(runtime, runtime.str(input), "center").orElseThrow(),
                Arguments.of(Value.Int.of(width)));
    }

    private static Value truncate(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("truncate", "length", "killwords", "end", "leeway");
        TemplateString text = text(input, "truncate");
        TemplateString end = bound.string("end").orElse(TemplateString.trusted("..."));
        int length = bound.integer("length", 255);
        int leeway =
                bound.find("leeway")
                        .flatMap(PythonArithmetic::integer)
                        .map(value -> value.intValue())
                        .orElse(5);
        if (length < end.codePointCount() || leeway < 0) {
            throw new EvaluationError("truncate: 'length' is less than the length of 'end'");
        }
        if (text.codePointCount() <= (long) length + leeway) {
            return text;
        }
        TemplateString cut =
                text.substring(0, text.indexOfCodePoint(length - end.codePointCount()));
        int lastSpace = cut.text().lastIndexOf(' ');
        boolean words = !bound.flag("killwords", false) && lastSpace >= 0;
        return strings(runtime).concat(words ? cut.substring(0, lastSpace) : cut, end);
    }

    private static Value escape(RenderContext runtime, Value input, Arguments arguments) {
        TemplateString text = runtime.str(input);
        TemplateString.Builder out = runtime.budget().builder();
        int plainFrom = 0;
        for (int i = 0; i < text.length(); i++) {
            Optional<String> entity = entity(text.text().charAt(i));
            if (entity.isPresent()) {
                out.append(text, plainFrom, i).append(entity.get(), text.isTrusted(i));
                plainFrom = i + 1;
            }
        }
        return runtime.budget().counted(out.append(text, plainFrom, text.length()).build());
    }

    private static Optional<String> entity(char c) {
        return switch (c) {
            case '&' -> Optional.of("&amp;");
            case '<' -> Optional.of("&lt;");
            case '>' -> Optional.of("&gt;");
            case '"' -> Optional.of("&#34;");
            case '\'' -> Optional.of("&#39;");
            default -> Optional.empty();
        };
    }
}
