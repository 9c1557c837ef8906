package dev.varve.platform.template;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** State of one render: budget, clock, order of values, current line; not for several threads. */
final class RenderContext {
    private final RenderBudget budget;
    private final ValueComparison order;
    private final Clock clock;
    private int line = 1;

    RenderContext(TemplateLimits limits, Clock clock) {
        this.budget = new RenderBudget(limits);
        this.order = new ValueComparison(budget);
        this.clock = clock;
    }

    RenderBudget budget() {
        return budget;
    }

    ValueComparison order() {
        return order;
    }

    Clock clock() {
        return clock;
    }

    int line() {
        return line;
    }

    void line(int current) {
        line = current;
    }

    TemplateString str(Value value) {
        return PythonText.str(value, budget);
    }

    /** Returns the elements that a loop over the value visits. A generator is consumed. */
    List<Value> items(Value value) {
        if (value instanceof Value.Sequence(var elements, var shape)
                && shape == Value.Shape.RANGE) {
            budget.objects(elements.size());
        }
        List<Value> items =
                switch (value) {
                    case TemplateString string -> new ArrayList<Value>(string.codePoints(budget));
                    case Value.Sequence sequence -> sequence.items();
                    case Dict dict -> dict.keys();
                    case Value.Undefined undefined -> List.of();
                    case Value.Generator generator -> generator.rest();
                    default -> throw new EvaluationError("cannot loop over " + value.typeName());
                };
        budget.elements(items.size());
        return items;
    }

    /** Returns a new list with these elements. */
    Value.Sequence listOf(Value value) {
        return Value.Sequence.list(new ArrayList<>(items(value)));
    }

    Value call(Value callee, Arguments arguments) {
        return switch (callee) {
            case Value.Callable callable -> callable.body().call(arguments);
            case Loop loop -> loop.call(arguments);
            case Value.Undefined undefined -> throw undefined.error();
            default -> throw new EvaluationError(callee.typeName() + " cannot be called");
        };
    }

    Value filter(String name, Value input, Arguments arguments) {
        Filter filter = Filters.ALL.get(name);
        if (filter == null) {
            throw new EvaluationError("no filter named '" + name + "'");
        }
        scanning(input);
        return filter.apply(this, input, arguments);
    }

    private void scanning(Value input) {
        if (input instanceof TemplateString string) {
            budget.steps(string.length() / 64);
        }
    }

    boolean test(String name, Value input, Arguments arguments) {
        JinjaTests.Test test = JinjaTests.ALL.get(name);
        if (test == null) {
            throw new EvaluationError("no test named '" + name + "'");
        }
        scanning(input);
        return test.holds(this, input, arguments);
    }
}
