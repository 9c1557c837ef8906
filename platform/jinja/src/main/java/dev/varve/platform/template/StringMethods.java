package dev.varve.platform.template;

import dev.varve.platform.template.Value.Sequence;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Methods of strings. Positions are code points, as in Python. */
final class StringMethods {
    /** Implementation of a method. */
    private interface Method {
        Value apply(RenderContext runtime, TemplateString self, Arguments arguments);
    }

    private static final Map<String, Method> METHODS = new HashMap<>();

    static {
        METHODS.put("strip", (runtime, self, arguments) -> strip(self, arguments, true, true));
        METHODS.put("lstrip", (runtime, self, arguments) -> strip(self, arguments, true, false));
        METHODS.put("rstrip", (runtime, self, arguments) -> strip(self, arguments, false, true));
        METHODS.put("split", (runtime, self, arguments) -> split(runtime, self, arguments, false));
        METHODS.put("rsplit", (runtime, self, arguments) -> split(runtime, self, arguments, true));
        METHODS.put(
                "splitlines",
                (runtime, self, arguments) ->
                        Sequence.list(
                                strings(runtime)
                                        .splitLines(
                                                self,
                                                arguments
                                                        .bind("splitlines", "keepends")
                                                        .flag("keepends", false))));
        METHODS.put(
                "partition",
                (runtime, self, arguments) -> partition(runtime, self, arguments, false));
        METHODS.put(
                "rpartition",
                (runtime, self, arguments) -> partition(runtime, self, arguments, true));
        METHODS.put("startswith", (runtime, self, arguments) -> affix(self, arguments, true));
        METHODS.put("endswith", (runtime, self, arguments) -> affix(self, arguments, false));
        METHODS.put(
                "removeprefix", (runtime, self, arguments) -> removeAffix(self, arguments, true));
        METHODS.put(
                "removesuffix", (runtime, self, arguments) -> removeAffix(self, arguments, false));
        METHODS.put("replace", StringMethods::replace);
        METHODS.put("join", StringMethods::join);
        METHODS.put("upper", (runtime, self, arguments) -> runtime.budget().counted(self.upper()));
        METHODS.put("lower", (runtime, self, arguments) -> runtime.budget().counted(self.lower()));
        METHODS.put(
                "casefold",
                (runtime, self, arguments) -> runtime.budget().counted(self.upper().lower()));
        METHODS.put("capitalize", (runtime, self, arguments) -> strings(runtime).capitalize(self));
        METHODS.put(
                "title",
                (runtime, self, arguments) ->
                        strings(runtime).capitalizeWords(self, c -> !Character.isLetter(c)));
        METHODS.put("swapcase", StringMethods::swapCase);
        METHODS.put(
                "find",
                (runtime, self, arguments) -> find(runtime, self, arguments, "find", false, false));
        METHODS.put(
                "rfind",
                (runtime, self, arguments) -> find(runtime, self, arguments, "rfind", true, false));
        METHODS.put(
                "index",
                (runtime, self, arguments) -> find(runtime, self, arguments, "index", false, true));
        METHODS.put(
                "rindex",
                (runtime, self, arguments) -> find(runtime, self, arguments, "rindex", true, true));
        METHODS.put("count", StringMethods::count);
        METHODS.put(
                "format",
                (runtime, self, arguments) -> new BraceFormat(runtime).format(self, arguments));
        METHODS.put(
                "center", (runtime, self, arguments) -> pad(runtime, self, arguments, "center"));
        METHODS.put("ljust", (runtime, self, arguments) -> pad(runtime, self, arguments, "ljust"));
        METHODS.put("rjust", (runtime, self, arguments) -> pad(runtime, self, arguments, "rjust"));
        METHODS.put("zfill", StringMethods::zeroFill);
        METHODS.put("isdigit", all(Character::isDigit));
        METHODS.put("isdecimal", all(Character::isDigit));
        METHODS.put("isnumeric", all(Character::isDigit));
        METHODS.put("isalpha", all(Character::isLetter));
        METHODS.put("isalnum", all(c -> Character.isLetter(c) || Character.isDigit(c)));
        METHODS.put("isspace", all(PythonText::isSpace));
        METHODS.put(
                "isascii",
                (runtime, self, arguments) -> Value.of(self.text().chars().allMatch(c -> c < 128)));
        METHODS.put("isupper", (runtime, self, arguments) -> Value.of(isCased(self.text(), true)));
        METHODS.put("islower", (runtime, self, arguments) -> Value.of(isCased(self.text(), false)));
    }

    private StringMethods() {}

    static Optional<Value> find(RenderContext runtime, TemplateString self, String name) {
        return Optional.ofNullable(METHODS.get(name))
                .map(
                        method ->
                                new Value.Callable(
                                        name,
                                        arguments -> {
                                            runtime.budget().steps(self.length() / 64);
                                            return method.apply(runtime, self, arguments);
                                        }));
    }

    private static TemplateStringOperations strings(RenderContext runtime) {
        return new TemplateStringOperations(runtime.budget());
    }

    private static Method all(IntPredicate predicate) {
        return (runtime, self, arguments) ->
                Value.of(!self.isEmpty() && self.text().codePoints().allMatch(predicate));
    }

    /** Returns whether there is a cased character and none of the other case. */
    static boolean isCased(String text, boolean upper) {
        IntPredicate wanted = upper ? Character::isUpperCase : Character::isLowerCase;
        IntPredicate other = upper ? Character::isLowerCase : Character::isUpperCase;
        return text.codePoints().anyMatch(wanted)
                && text.codePoints().noneMatch(c -> other.test(c) || Character.isTitleCase(c));
    }

    private static Value strip(
            TemplateString self, Arguments arguments, boolean left, boolean right) {
        return TemplateStringOperations.strip(
                self, arguments.bind("strip", "chars").string("chars"), left, right);
    }

    private static Value split(
            RenderContext runtime, TemplateString self, Arguments arguments, boolean fromRight) {
        Arguments.Bound bound = arguments.bind("split", "sep", "maxsplit");
        int max = bound.integer("maxsplit", -1);
        return Sequence.list(
                fromRight
                        ? strings(runtime).splitFromRight(self, bound.string("sep"), max)
                        : strings(runtime).split(self, bound.string("sep"), max));
    }

    private static Value partition(
            RenderContext runtime, TemplateString self, Arguments arguments, boolean fromRight) {
        TemplateString separator = arguments.bind("partition", "sep").requireString("sep");
        runtime.budget().search(self.length(), separator.length());
        if (separator.isEmpty()) {
            throw new EvaluationError("partition: the separator is empty");
        }
        int at =
                fromRight
                        ? self.text().lastIndexOf(separator.text())
                        : self.text().indexOf(separator.text());
        if (at < 0) {
            return fromRight
                    ? Sequence.tuple(TemplateString.EMPTY, TemplateString.EMPTY, self)
                    : Sequence.tuple(self, TemplateString.EMPTY, TemplateString.EMPTY);
        }
        int after = at + separator.length();
        return Sequence.tuple(
                self.substring(0, at),
                self.substring(at, after),
                self.substring(after, self.length()));
    }

    private static Value affix(TemplateString self, Arguments arguments, boolean prefix) {
        Arguments.Bound bound =
                arguments.bind(prefix ? "startswith" : "endswith", "affix", "start", "end");
        int size = self.codePointCount();
        int begin = clipped(bound.integer("start", 0), size);
        int end = clipped(bound.integer("end", size), size);
        if (begin > end) {
            return Value.FALSE;
        }
        String text =
                self.text().substring(self.indexOfCodePoint(begin), self.indexOfCodePoint(end));
        Value affix = bound.require("affix");
        List<Value> candidates =
                affix instanceof Sequence tuple && tuple.shape().isTuple()
                        ? tuple.items()
                        : List.of(affix);
        boolean any = false;
        for (Value candidate : candidates) {
            if (!(candidate instanceof TemplateString string)) {
                throw new EvaluationError(
                        bound.callee() + " expects a string, found " + candidate.typeName());
            }
            any |= prefix ? text.startsWith(string.text()) : text.endsWith(string.text());
        }
        return Value.of(any);
    }

    private static int clipped(int bound, int size) {
        return Math.max(0, Math.min(size, bound < 0 ? bound + size : bound));
    }

    private static Value removeAffix(TemplateString self, Arguments arguments, boolean prefix) {
        TemplateString affix = arguments.bind("removeprefix", "affix").requireString("affix");
        if (prefix) {
            return self.text().startsWith(affix.text())
                    ? self.substring(affix.length(), self.length())
                    : self;
        }
        return self.text().endsWith(affix.text())
                ? self.substring(0, self.length() - affix.length())
                : self;
    }

    private static Value replace(RenderContext runtime, TemplateString self, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("replace", "old", "new", "count");
        return strings(runtime)
                .replace(
                        self,
                        bound.requireString("old"),
                        bound.requireString("new"),
                        bound.integer("count", -1));
    }

    private static Value join(RenderContext runtime, TemplateString self, Arguments arguments) {
        List<TemplateString> parts = new ArrayList<>();
        for (Value item : runtime.items(arguments.bind("join", "items").require("items"))) {
            if (!(item instanceof TemplateString string)) {
                throw new EvaluationError("join expects strings, found " + item.typeName());
            }
            parts.add(string);
        }
        return strings(runtime).join(parts, self);
    }

    private static Value swapCase(RenderContext runtime, TemplateString self, Arguments arguments) {
        TemplateString.Builder out = runtime.budget().builder();
        for (TemplateString point : self.codePoints(runtime.budget())) {
            out.append(
                    Character.isUpperCase(point.text().codePointAt(0))
                            ? point.lower()
                            : point.upper());
        }
        return runtime.budget().counted(out.build());
    }

    private static Value find(
            RenderContext runtime,
            TemplateString self,
            Arguments arguments,
            String name,
            boolean last,
            boolean mustExist) {
        Arguments.Bound bound = arguments.bind(name, "sub", "start", "end");
        String sub = bound.requireString("sub").text();
        int size = self.codePointCount();
        int begin = clipped(bound.integer("start", 0), size);
        int end = clipped(bound.integer("end", size), size);
        int found = -1;
        if (begin <= end && bound.integer("start", 0) <= size) {
            String part =
                    self.text().substring(self.indexOfCodePoint(begin), self.indexOfCodePoint(end));
            runtime.budget().search(part.length(), sub.length());
            int at = last ? part.lastIndexOf(sub) : part.indexOf(sub);
            found = at < 0 ? -1 : begin + part.codePointCount(0, at);
        }
        if (mustExist && found < 0) {
            throw new EvaluationError(name + ": the substring was not found");
        }
        return Value.Int.of(found);
    }

    private static Value count(RenderContext runtime, TemplateString self, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("count", "sub", "start", "end");
        int size = self.codePointCount();
        int begin = clipped(bound.integer("start", 0), size);
        int end = clipped(bound.integer("end", size), size);
        String sub = bound.requireString("sub").text();
        if (begin > end) {
            return Value.Int.of(0);
        }
        if (sub.isEmpty()) {
            return Value.Int.of(end - begin + 1L);
        }
        String part =
                self.text().substring(self.indexOfCodePoint(begin), self.indexOfCodePoint(end));
        runtime.budget().search(part.length(), sub.length());
        long count = 0;
        for (int at = part.indexOf(sub); at >= 0; at = part.indexOf(sub, at + sub.length())) {
            count++;
        }
        return Value.Int.of(count);
    }

    private static Value pad(
            RenderContext runtime, TemplateString self, Arguments arguments, String name) {
        Arguments.Bound bound = arguments.bind(name, "width", "fillchar");
        TemplateString fill = bound.string("fillchar").orElse(TemplateString.trusted(" "));
        if (fill.codePointCount() != 1) {
            throw new EvaluationError(name + ": the fill must be one character");
        }
        int width = PythonArithmetic.index(bound.require("width"), name);
        long missing = Math.max(0L, (long) width - self.codePointCount());
        long left =
                switch (name) {
                    case "ljust" -> 0;
                    case "rjust" -> missing;
                    default -> missing / 2 + (missing & width & 1);
                };
        return strings(runtime).padded(self, fill, left, missing - left);
    }

    private static Value zeroFill(RenderContext runtime, TemplateString self, Arguments arguments) {
        int width =
                PythonArithmetic.index(arguments.bind("zfill", "width").require("width"), "zfill");
        int sign = self.text().startsWith("-") || self.text().startsWith("+") ? 1 : 0;
        TemplateString filled =
                strings(runtime)
                        .padded(
                                self.substring(sign, self.length()),
                                TemplateString.trusted("0"),
                                (long) width - self.codePointCount(),
                                0);
        return strings(runtime).concat(self.substring(0, sign), filled);
    }
}
