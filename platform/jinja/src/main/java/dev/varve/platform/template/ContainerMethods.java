package dev.varve.platform.template;

import dev.varve.platform.template.Value.Sequence;
import dev.varve.platform.template.Value.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Methods of lists, tuples and dicts. Values belong to one render, so changes do not affect other
 * renders.
 */
final class ContainerMethods {
    private ContainerMethods() {}

    static Optional<Value> find(RenderContext runtime, Dict dict, String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "get" -> method(name, arguments -> get(dict, arguments));
                    case "items" ->
                            method(
                                    name,
                                    arguments -> {
                                        runtime.budget().objects(dict.size());
                                        return view(
                                                runtime,
                                                dict.items(),
                                                Shape.ITEMS,
                                                name,
                                                arguments);
                                    });
                    case "keys" ->
                            method(
                                    name,
                                    arguments ->
                                            view(
                                                    runtime,
                                                    dict.keys(),
                                                    Shape.KEYS,
                                                    name,
                                                    arguments));
                    case "values" ->
                            method(
                                    name,
                                    arguments ->
                                            view(
                                                    runtime,
                                                    dict.values(),
                                                    Shape.VALUES,
                                                    name,
                                                    arguments));
                    case "copy" -> method(name, arguments -> copy(runtime, dict));
                    case "pop" -> method(name, arguments -> pop(dict, arguments));
                    case "update" -> method(name, arguments -> update(runtime, dict, arguments));
                    case "setdefault" -> method(name, arguments -> setDefault(dict, arguments));
                    case "clear" ->
                            method(
                                    name,
                                    arguments -> {
                                        dict.clear();
                                        return Value.NONE;
                                    });
                    default -> null;
                });
    }

    private static Value method(String name, Value.Callable.Body body) {
        return new Value.Callable(name, body);
    }

    private static Value get(Dict dict, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("get", "key", "default");
        return dict.get(bound.require("key")).or(() -> bound.find("default")).orElse(Value.NONE);
    }

    private static Value view(
            RenderContext runtime,
            List<Value> items,
            Shape shape,
            String name,
            Arguments arguments) {
        arguments.bind(name);
        runtime.budget().elements(items.size());
        return new Sequence(items, shape);
    }

    private static Value copy(RenderContext runtime, Dict dict) {
        Dict copy = new Dict();
        runtime.budget().objects(dict.size());
        dict.entries().forEach(entry -> copy.put(entry.key(), entry.value()));
        return copy;
    }

    private static Value pop(Dict dict, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("pop", "key", "default");
        return dict.remove(bound.require("key"))
                .or(() -> bound.find("default"))
                .orElseThrow(() -> new EvaluationError("pop: the dict has no such key"));
    }

    private static Value update(RenderContext runtime, Dict dict, Arguments arguments) {
        for (Value source : arguments.positional()) {
            DictSource.addAll(runtime, dict, source);
        }
        arguments
                .keywords()
                .forEach((name, value) -> dict.put(TemplateString.trusted(name), value));
        return Value.NONE;
    }

    private static Value setDefault(Dict dict, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("setdefault", "key", "default");
        Value key = bound.require("key");
        Optional<Value> present = dict.get(key);
        if (present.isEmpty()) {
            dict.put(key, bound.find("default").orElse(Value.NONE));
        }
        return dict.get(key).orElseThrow();
    }

    static Optional<Value> find(RenderContext runtime, Sequence sequence, String name) {
        Optional<Value> reading =
                switch (name) {
                    case "count" ->
                            Optional.of(
                                    method(name, arguments -> count(runtime, sequence, arguments)));
                    case "index" ->
                            Optional.of(
                                    method(name, arguments -> index(runtime, sequence, arguments)));
                    default -> Optional.empty();
                };
        return switch (sequence.shape()) {
            case KEYS, VALUES, ITEMS -> Optional.empty();
            case TUPLE, RANGE -> reading;
            case GROUP ->
                    reading.or(
                            () ->
                                    switch (name) {
                                        case "grouper" -> Optional.of(sequence.items().get(0));
                                        case "list" -> Optional.of(sequence.items().get(1));
                                        default -> Optional.empty();
                                    });
            case LIST -> reading.or(() -> changing(runtime, sequence.items(), name));
        };
    }

    private static Value count(RenderContext runtime, Sequence sequence, Arguments arguments) {
        Value wanted = arguments.bind("count", "value").require("value");
        runtime.budget().steps(sequence.items().size());
        return Value.Int.of(
                sequence.items().stream()
                        .filter(item -> runtime.order().equal(item, wanted))
                        .count());
    }

    private static Value index(RenderContext runtime, Sequence sequence, Arguments arguments) {
        Value wanted = arguments.bind("index", "value").require("value");
        return Value.Int.of(position(runtime, sequence.items(), wanted));
    }

    private static int position(RenderContext runtime, List<Value> items, Value wanted) {
        for (int i = 0; i < items.size(); i++) {
            runtime.budget().step();
            if (runtime.order().equal(items.get(i), wanted)) {
                return i;
            }
        }
        throw new EvaluationError("the value is not in the list");
    }

    private static Optional<Value> changing(RenderContext runtime, List<Value> items, String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "append" ->
                            method(
                                    name,
                                    arguments -> {
                                        items.add(arguments.bind(name, "value").require("value"));
                                        return Value.NONE;
                                    });
                    case "extend" ->
                            method(
                                    name,
                                    arguments -> {
                                        items.addAll(
                                                new ArrayList<>(
                                                        runtime.items(
                                                                arguments
                                                                        .bind(name, "values")
                                                                        .require("values"))));
                                        return Value.NONE;
                                    });
                    case "insert" -> method(name, arguments -> insert(runtime, items, arguments));
                    case "pop" -> method(name, arguments -> pop(runtime, items, arguments));
                    case "remove" ->
                            method(
                                    name,
                                    arguments -> {
                                        items.remove(
                                                position(
                                                        runtime,
                                                        items,
                                                        arguments
                                                                .bind(name, "value")
                                                                .require("value")));
                                        return Value.NONE;
                                    });
                    case "clear" ->
                            method(
                                    name,
                                    arguments -> {
                                        items.clear();
                                        return Value.NONE;
                                    });
                    case "copy" -> method(name, arguments -> runtime.listOf(Sequence.list(items)));
                    case "reverse" ->
                            method(
                                    name,
                                    arguments -> {
                                        runtime.budget().steps(items.size());
                                        java.util.Collections.reverse(items);
                                        return Value.NONE;
                                    });
                    default -> null;
                });
    }

    private static Value insert(RenderContext runtime, List<Value> items, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("insert", "index", "value");
        int index = PythonArithmetic.index(bound.require("index"), "insert");
        runtime.budget().steps(items.size() / 16);
        int fromStart = index < 0 ? index + items.size() : index;
        items.add(Math.max(0, Math.min(items.size(), fromStart)), bound.require("value"));
        return Value.NONE;
    }

    private static Value pop(RenderContext runtime, List<Value> items, Arguments arguments) {
        int index = arguments.bind("pop", "index").integer("index", -1);
        runtime.budget().steps(items.size() / 16);
        int fromStart = index < 0 ? index + items.size() : index;
        if (fromStart < 0 || fromStart >= items.size()) {
            throw new EvaluationError("pop: the index is out of range");
        }
        return items.remove(fromStart);
    }
}
