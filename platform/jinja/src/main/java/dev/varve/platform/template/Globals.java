package dev.varve.platform.template;

import dev.varve.platform.template.Value.Callable;
import dev.varve.platform.template.Value.Sequence;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Functions that every template can call. */
final class Globals {
    private final RenderContext runtime;

    Globals(RenderContext runtime) {
        this.runtime = runtime;
    }

    Map<String, Value> all() {
        Map<String, Value> all = new HashMap<>();
        add(all, "range", this::range);
        add(all, "namespace", this::namespace);
        add(all, "dict", this::dict);
        add(all, "raise_exception", this::raise);
        add(
                all,
                "strftime_now",
                arguments ->
                        TemplateString.trusted(
                                DateText.format(
                                        arguments
                                                .bind("strftime_now", "format")
                                                .requireString("format")
                                                .text(),
                                        runtime.clock())));
        add(all, "joiner", this::joiner);
        add(all, "cycler", this::cycler);
        return all;
    }

    private static void add(Map<String, Value> all, String name, Callable.Body body) {
        all.put(name, new Callable(name, body));
    }

    private Value range(Arguments arguments) {
        List<Value> bounds = arguments.positional();
        arguments.bind("range", "start", "stop", "step");
        if (bounds.isEmpty()) {
            throw new EvaluationError("range needs an end");
        }
        int first = bounds.size() == 1 ? 0 : PythonArithmetic.index(bounds.get(0), "range");
        int end = PythonArithmetic.index(bounds.get(bounds.size() == 1 ? 0 : 1), "range");
        int step = bounds.size() == 3 ? PythonArithmetic.index(bounds.get(2), "range") : 1;
        if (step == 0) {
            throw new EvaluationError("the step of a range is zero");
        }
        long span = step > 0 ? (long) end - first : (long) first - end;
        long size = span <= 0 ? 0 : (span - 1) / Math.abs((long) step) + 1;
        if (size > RenderBudget.MAX_RANGE) {
            throw new EvaluationError(
                    "a range has "
                            + size
                            + " elements, at most "
                            + RenderBudget.MAX_RANGE
                            + " are allowed");
        }
        return new Sequence(new RangeItems(first, step, (int) size), Value.Shape.RANGE);
    }

    private Value namespace(Arguments arguments) {
        NamespaceObject namespace = new NamespaceObject();
        dictOf(arguments, "namespace")
                .entries()
                .forEach(entry -> namespace.set(runtime.str(entry.key()).text(), entry.value()));
        return namespace;
    }

    private Value dict(Arguments arguments) {
        return dictOf(arguments, "dict");
    }

    private Dict dictOf(Arguments arguments, String callee) {
        if (arguments.positional().size() > 1) {
            throw new EvaluationError(callee + " takes at most one dict");
        }
        Dict dict = new Dict();
        arguments.positional().forEach(source -> DictSource.addAll(runtime, dict, source));
        arguments
                .keywords()
                .forEach((name, value) -> dict.put(TemplateString.trusted(name), value));
        return dict;
    }

    private Value raise(Arguments arguments) {
        throw new EvaluationError(
                runtime.str(arguments.bind("raise_exception", "message").require("message")).text(),
                true);
    }

    private Value joiner(Arguments arguments) {
        Value separator =
                arguments.bind("joiner", "sep").find("sep").orElse(TemplateString.trusted(", "));
        AtomicInteger calls = new AtomicInteger();
        return new Callable(
                "joiner", none -> calls.getAndIncrement() == 0 ? TemplateString.EMPTY : separator);
    }

    private Value cycler(Arguments arguments) {
        List<Value> items = arguments.positional();
        if (items.isEmpty()) {
            throw new EvaluationError("cycler needs values to choose from");
        }
        AtomicInteger position = new AtomicInteger();
        NamespaceObject cycler = new NamespaceObject();
        cycler.set("current", items.getFirst());
        cycler.set(
                "next",
                new Callable(
                        "next",
                        none -> {
                            Value current = items.get(position.get());
                            position.set((position.get() + 1) % items.size());
                            cycler.set("current", items.get(position.get()));
                            return current;
                        }));
        cycler.set(
                "reset",
                new Callable(
                        "reset",
                        none -> {
                            position.set(0);
                            cycler.set("current", items.getFirst());
                            return Value.NONE;
                        }));
        return cycler;
    }
}
