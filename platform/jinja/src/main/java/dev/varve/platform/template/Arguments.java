package dev.varve.platform.template;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Arguments of one call, evaluated. */
record Arguments(List<Value> positional, Map<String, Value> keywords) {
    static final Arguments NONE = new Arguments(List.of(), Map.of());

    static Arguments of(Value... values) {
        return new Arguments(List.of(values), Map.of());
    }

    /** Binds the arguments to names, in order. Too many, unknown and repeated ones are errors. */
    Bound bind(String callee, String... names) {
        if (positional.size() > names.length) {
            throw new EvaluationError(
                    callee
                            + " takes at most "
                            + names.length
                            + " arguments, found "
                            + positional.size());
        }
        Map<String, Value> values = new HashMap<>();
        for (int i = 0; i < positional.size(); i++) {
            values.put(names[i], positional.get(i));
        }
        keywords.forEach(
                (name, value) -> {
                    if (!List.of(names).contains(name)) {
                        throw new EvaluationError(callee + " has no argument named '" + name + "'");
                    }
                    if (values.put(name, value) != null) {
                        throw new EvaluationError(
                                callee + " got two values for argument '" + name + "'");
                    }
                });
        return new Bound(callee, values);
    }

    /** Returns these arguments without the first positional ones. */
    Arguments dropFirst(int count) {
        return new Arguments(
                new ArrayList<>(positional.subList(count, positional.size())), keywords);
    }

    /** Arguments by name. */
    record Bound(String callee, Map<String, Value> values) {
        Optional<Value> find(String name) {
            return Optional.ofNullable(values.get(name));
        }

        Value require(String name) {
            return find(name)
                    .orElseThrow(
                            () ->
                                    new EvaluationError(
                                            callee + " needs the argument '" + name + "'"));
        }

        boolean flag(String name, boolean fallback) {
            return find(name).map(Truthiness::of).orElse(fallback);
        }

        int integer(String name, int fallback) {
            return find(name).map(value -> PythonArithmetic.index(value, callee)).orElse(fallback);
        }

        /** Returns a string argument; {@code None} counts as absent. */
        Optional<TemplateString> string(String name) {
            return find(name)
                    .filter(value -> !(value instanceof Value.None))
                    .map(value -> string(name, value));
        }

        TemplateString requireString(String name) {
            return string(name, require(name));
        }

        private TemplateString string(String name, Value value) {
            if (value instanceof TemplateString string) {
                return string;
            }
            throw new EvaluationError(
                    callee + " expects a string as '" + name + "', found " + value.typeName());
        }
    }
}
