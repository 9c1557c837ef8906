package dev.varve.platform.template;

import dev.varve.platform.template.Value.Sequence;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Filters on lists and dicts. */
final class ListFilters {
    private ListFilters() {}

    static void register(Map<String, Filter> filters) {
        filters.put("length", (runtime, input, arguments) -> Value.Int.of(length(input)));
        filters.put("count", (runtime, input, arguments) -> Value.Int.of(length(input)));
        filters.put("list", (runtime, input, arguments) -> runtime.listOf(input));
        filters.put("first", (runtime, input, arguments) -> first(runtime, input));
        filters.put("last", (runtime, input, arguments) -> last(runtime, input));
        filters.put("join", ListFilters::join);
        filters.put("items", (runtime, input, arguments) -> items(runtime, input));
        filters.put("dictsort", ListFilters::sortedDict);
        filters.put("reverse", ListFilters::reverse);
        filters.put("sort", ListFilters::sort);
        filters.put("unique", ListFilters::unique);
        filters.put(
                "min", (runtime, input, arguments) -> extreme(runtime, input, arguments, "min"));
        filters.put(
                "max", (runtime, input, arguments) -> extreme(runtime, input, arguments, "max"));
        filters.put("sum", ListFilters::sum);
        filters.put("groupby", ListFilters::group);
        filters.put("batch", ListFilters::batch);
        filters.put("slice", ListFilters::slice);
    }

    static int length(Value value) {
        return switch (value) {
            case TemplateString string -> string.codePointCount();
            case Sequence sequence -> sequence.items().size();
            case Dict dict -> dict.size();
            case Value.Undefined undefined -> 0;
            default -> throw new EvaluationError(value.typeName() + " has no length");
        };
    }

    private static Value first(RenderContext runtime, Value input) {
        if (input instanceof Value.Generator generator && generator.hasNext()) {
            return generator.next();
        }
        List<Value> items = runtime.items(input);
        return items.isEmpty()
                ? new Value.Undefined("no first item, the sequence is empty")
                : items.getFirst();
    }

    private static Value last(RenderContext runtime, Value input) {
        if (input instanceof Value.Generator) {
            throw new EvaluationError("a generator has no last item");
        }
        List<Value> items = runtime.items(input);
        return items.isEmpty()
                ? new Value.Undefined("no last item, the sequence is empty")
                : items.getLast();
    }

    private static Value join(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("join", "d", "attribute");
        Optional<AttributePath> path = AttributePath.of(runtime, bound.find("attribute"));
        List<TemplateString> parts = new ArrayList<>();
        for (Value item : runtime.items(input)) {
            parts.add(runtime.str(path.isPresent() ? path.get().of(item) : item));
        }
        return new TemplateStringOperations(runtime.budget())
                .join(parts, bound.find("d").map(runtime::str).orElse(TemplateString.EMPTY));
    }

    private static Value items(RenderContext runtime, Value input) {
        return switch (input) {
            case Value.Undefined undefined -> new Value.Generator(List.of());
            case Dict dict -> {
                runtime.budget().objects(dict.size());
                yield new Value.Generator(dict.items());
            }
            default -> throw new EvaluationError("items expects a dict, found " + input.typeName());
        };
    }

    private static Value sortedDict(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("dictsort", "case_sensitive", "by", "reverse");
        boolean caseSensitive = bound.flag("case_sensitive", false);
        int field =
                switch (bound.string("by").map(TemplateString::text).orElse("key")) {
                    case "key" -> 0;
                    case "value" -> 1;
                    default -> throw new EvaluationError("dictsort: 'by' must be key or value");
                };
        if (input instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (!(input instanceof Dict dict)) {
            throw new EvaluationError("dictsort expects a dict, found " + input.typeName());
        }
        runtime.budget().objects(dict.size());
        List<Value> items = dict.items();
        return Sequence.list(
                sorted(
                        runtime,
                        items,
                        item -> folded(((Sequence) item).items().get(field), caseSensitive),
                        bound.flag("reverse", false)));
    }

    /** Sorting keys of one comparison. */
    private interface Key {
        Value of(Value item);
    }

    private static Value folded(Value value, boolean caseSensitive) {
        return value instanceof TemplateString string && !caseSensitive ? string.lower() : value;
    }

    /** Stable in both directions, like Python's sort. */
    private static List<Value> sorted(
            RenderContext runtime, List<Value> items, Key key, boolean reverse) {
        record Keyed(Value key, Value item) {}
        List<Keyed> keyed = new ArrayList<>(items.size());
        items.forEach(item -> keyed.add(new Keyed(key.of(item), item)));
        Comparator<Keyed> order =
                (a, b) -> {
                    runtime.budget().step();
                    return runtime.order().compare(a.key(), b.key());
                };
        try {
            keyed.sort(reverse ? order.reversed() : order);
        } catch (IllegalArgumentException e) {
            throw new EvaluationError("the values have no consistent order");
        }
        List<Value> sorted = new ArrayList<>(items.size());
        keyed.forEach(pair -> sorted.add(pair.item()));
        return sorted;
    }

    private static Value reverse(RenderContext runtime, Value input, Arguments arguments) {
        if (input instanceof TemplateString string) {
            List<TemplateString> points = string.codePoints(runtime.budget());
            return new TemplateStringOperations(runtime.budget())
                    .join(points.reversed(), TemplateString.EMPTY);
        }
        List<Value> items = new ArrayList<>(runtime.items(input));
        Collections.reverse(items);
        return new Value.Generator(items);
    }

    private static Value sort(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("sort", "reverse", "case_sensitive", "attribute");
        boolean caseSensitive = bound.flag("case_sensitive", false);
        List<AttributePath> paths = AttributePath.several(runtime, bound.find("attribute"));
        Key key =
                paths.isEmpty()
                        ? item -> folded(item, caseSensitive)
                        : item -> {
                            List<Value> keys = new ArrayList<>();
                            paths.forEach(path -> keys.add(folded(path.of(item), caseSensitive)));
                            return Sequence.list(keys);
                        };
        return Sequence.list(
                sorted(runtime, runtime.items(input), key, bound.flag("reverse", false)));
    }

    private static Value unique(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("unique", "case_sensitive", "attribute");
        boolean caseSensitive = bound.flag("case_sensitive", false);
        Optional<AttributePath> path = AttributePath.of(runtime, bound.find("attribute"));
        Map<Object, Value> seen = new LinkedHashMap<>();
        for (Value item : runtime.items(input)) {
            Value key = path.isPresent() ? path.get().of(item) : item;
            seen.putIfAbsent(Dict.identity(folded(key, caseSensitive)), item);
        }
        return new Value.Generator(new ArrayList<>(seen.values()));
    }

    private static Value extreme(
            RenderContext runtime, Value input, Arguments arguments, String name) {
        Arguments.Bound bound = arguments.bind(name, "case_sensitive", "attribute");
        boolean caseSensitive = bound.flag("case_sensitive", false);
        Optional<AttributePath> path = AttributePath.of(runtime, bound.find("attribute"));
        Key key = item -> folded(path.isPresent() ? path.get().of(item) : item, caseSensitive);
        int wanted = name.equals("min") ? -1 : 1;
        Value best = new Value.Undefined("no " + name + ", the sequence is empty");
        boolean first = true;
        for (Value item : runtime.items(input)) {
            if (first
                    || Integer.signum(runtime.order().compare(key.of(item), key.of(best)))
                            == wanted) {
                best = item;
                first = false;
            }
        }
        return best;
    }

    private static Value sum(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("sum", "attribute", "start");
        Optional<AttributePath> path = AttributePath.of(runtime, bound.find("attribute"));
        Value sum = bound.find("start").orElse(Value.Int.of(0));
        if (sum instanceof TemplateString) {
            throw new EvaluationError("sum cannot add strings");
        }
        for (Value item : runtime.items(input)) {
            sum =
                    Operators.arithmetic(
                            runtime,
                            Expr.Arithmetic.ADD,
                            sum,
                            path.isPresent() ? path.get().of(item) : item);
        }
        return sum;
    }

    private static Value group(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("groupby", "attribute", "default", "case_sensitive");
        AttributePath path =
                AttributePath.of(runtime, bound.find("attribute"))
                        .orElseThrow(() -> new EvaluationError("groupby needs an attribute"))
                        .orElse(bound.find("default"));
        boolean caseSensitive = bound.flag("case_sensitive", false);
        Key key = item -> folded(path.of(item), caseSensitive);
        List<Value> groups = new ArrayList<>();
        List<Value> group = new ArrayList<>();
        for (Value item : sorted(runtime, runtime.items(input), key, false)) {
            if (group.isEmpty() || !runtime.order().equal(key.of(group.getFirst()), key.of(item))) {
                group = new ArrayList<>();
                groups.add(
                        new Sequence(
                                List.of(path.of(item), Sequence.list(group)), Value.Shape.GROUP));
            }
            group.add(item);
        }
        return Sequence.list(groups);
    }

    private static Value batch(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("batch", "linecount", "fill_with");
        int size = PythonArithmetic.index(bound.require("linecount"), "batch");
        if (size < 1 || size > RenderBudget.MAX_RANGE) {
            throw new EvaluationError("batch expects a size from 1 to " + RenderBudget.MAX_RANGE);
        }
        List<Value> batches = new ArrayList<>();
        List<Value> items = runtime.items(input);
        for (int begin = 0; begin < items.size(); begin += size) {
            List<Value> batch =
                    new ArrayList<>(items.subList(begin, Math.min(items.size(), begin + size)));
            fill(runtime, batch, size, bound.find("fill_with"));
            batches.add(Sequence.list(batch));
        }
        return new Value.Generator(batches);
    }

    private static void fill(
            RenderContext runtime, List<Value> items, int size, Optional<Value> filler) {
        boolean fills = filler.isPresent() && !(filler.get() instanceof Value.None);
        while (fills && items.size() < size) {
            runtime.budget().step();
            items.add(filler.get());
        }
    }

    private static Value slice(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("slice", "slices", "fill_with");
        int slices = PythonArithmetic.index(bound.require("slices"), "slice");
        if (slices < 1 || slices > RenderBudget.MAX_RANGE) {
            throw new EvaluationError("slice expects a number from 1 to " + RenderBudget.MAX_RANGE);
        }
        runtime.budget().steps(slices);
        List<Value> items = new ArrayList<>(runtime.items(input));
        int size = items.size() / slices;
        int longer = items.size() % slices;
        List<Value> result = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < slices; i++) {
            int end = begin + size + (i < longer ? 1 : 0);
            List<Value> part = new ArrayList<>(items.subList(begin, end));
            if (i >= longer) {
                fill(runtime, part, part.size() + 1, bound.find("fill_with"));
            }
            result.add(Sequence.list(part));
            begin = end;
        }
        return new Value.Generator(result);
    }
}
