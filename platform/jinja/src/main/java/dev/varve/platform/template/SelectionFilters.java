package dev.varve.platform.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Filters that apply another filter or a test to every element. */
final class SelectionFilters {
    private SelectionFilters() {}

    static void register(Map<String, Filter> filters) {
        filters.put("map", SelectionFilters::map);
        filters.put(
                "select",
                (runtime, input, arguments) -> select(runtime, input, arguments, true, "select"));
        filters.put(
                "reject",
                (runtime, input, arguments) -> select(runtime, input, arguments, false, "reject"));
        filters.put(
                "selectattr",
                (runtime, input, arguments) -> selectByAttribute(runtime, input, arguments, true));
        filters.put(
                "rejectattr",
                (runtime, input, arguments) -> selectByAttribute(runtime, input, arguments, false));
    }

    /**
     * Any false value, such as {@code None} or 0, has no elements here; elsewhere it would be an
     * error.
     */
    private static List<Value> items(RenderContext runtime, Value input) {
        return Truthiness.of(input) ? runtime.items(input) : List.of();
    }

    private static Value map(RenderContext runtime, Value input, Arguments arguments) {
        List<Value> mapped = new ArrayList<>();
        if (arguments.positional().isEmpty()) {
            Arguments.Bound bound = arguments.bind("map", "attribute", "default");
            AttributePath path =
                    AttributePath.of(runtime, bound.find("attribute"))
                            .orElseThrow(
                                    () -> new EvaluationError("map needs a filter or an attribute"))
                            .orElse(bound.find("default"));
            items(runtime, input).forEach(item -> mapped.add(path.of(item)));
        } else {
            String filter = name(arguments, 0, "map");
            Arguments rest = arguments.dropFirst(1);
            items(runtime, input).forEach(item -> mapped.add(runtime.filter(filter, item, rest)));
        }
        return new Value.Generator(mapped);
    }

    private static String name(Arguments arguments, int index, String callee) {
        if (arguments.positional().get(index) instanceof TemplateString name) {
            return name.text();
        }
        throw new EvaluationError(callee + " expects the name of a filter or test");
    }

    private static Value select(
            RenderContext runtime,
            Value input,
            Arguments arguments,
            boolean wanted,
            String callee) {
        return selected(runtime, input, predicate(runtime, arguments, 0, callee), wanted);
    }

    private static Value selectByAttribute(
            RenderContext runtime, Value input, Arguments arguments, boolean wanted) {
        if (arguments.positional().isEmpty()) {
            throw new EvaluationError("selectattr needs an attribute");
        }
        AttributePath path =
                AttributePath.of(runtime, Optional.of(arguments.positional().getFirst()))
                        .orElseThrow(() -> new EvaluationError("selectattr needs an attribute"));
        Predicate<Value> test = predicate(runtime, arguments, 1, "selectattr");
        return selected(runtime, input, item -> test.test(path.of(item)), wanted);
    }

    private static Predicate<Value> predicate(
            RenderContext runtime, Arguments arguments, int nameAt, String callee) {
        if (arguments.positional().size() <= nameAt) {
            return Truthiness::of;
        }
        String test = name(arguments, nameAt, callee);
        Arguments rest = arguments.dropFirst(nameAt + 1);
        return item -> runtime.test(test, item, rest);
    }

    private static Value selected(
            RenderContext runtime, Value input, Predicate<Value> predicate, boolean wanted) {
        List<Value> selected = new ArrayList<>();
        for (Value item : items(runtime, input)) {
            if (predicate.test(item) == wanted) {
                selected.add(item);
            }
        }
        return new Value.Generator(selected);
    }
}
