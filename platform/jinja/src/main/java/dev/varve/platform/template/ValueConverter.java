package dev.varve.platform.template;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Converts plain Java values to values of a render. */
final class ValueConverter {
    private static final int MAX_NESTING = 256;

    private final RenderBudget budget;
    private final boolean trusted;

    private ValueConverter(RenderBudget budget, boolean trusted) {
        this.budget = budget;
        this.trusted = trusted;
    }

    static Map<String, Value> convert(
            Map<String, Object> variables, Set<String> trusted, RenderBudget budget) {
        Map<String, Value> converted = new HashMap<>();
        variables.forEach(
                (name, value) ->
                        converted.put(
                                name,
                                new ValueConverter(budget, trusted.contains(name))
                                        .value(value, 0)));
        return converted;
    }

    private Value value(Object value, int nesting) {
        budget.step();
        if (nesting > MAX_NESTING) {
            throw new EvaluationError("a variable nests deeper than " + MAX_NESTING + " levels");
        }
        return switch (value) {
            case null -> Value.NONE;
            case CharSequence text -> TemplateString.of(text.toString(), trusted);
            case RenderedPrompt prompt -> TemplateString.of(prompt);
            case Boolean bool -> Value.of(bool);
            case BigInteger integer -> PythonArithmetic.checked(integer);
            case Integer integer -> Value.Int.of(integer);
            case Long integer -> Value.Int.of(integer);
            case Short integer -> Value.Int.of(integer);
            case Byte integer -> Value.Int.of(integer);
            case Double real -> new Value.Real(real);
            case Float real -> new Value.Real(Double.parseDouble(real.toString()));
            case BigDecimal real -> new Value.Real(real.doubleValue());
            case Map<?, ?> map -> dict(map, nesting);
            case Iterable<?> items -> list(items, nesting);
            default ->
                    throw new EvaluationError(
                            "a variable holds a value of the unsupported type "
                                    + value.getClass().getName());
        };
    }

    private Value dict(Map<?, ?> map, int nesting) {
        Dict dict = new Dict();
        map.forEach((key, item) -> dict.put(value(key, nesting + 1), value(item, nesting + 1)));
        return dict;
    }

    private Value list(Iterable<?> items, int nesting) {
        List<Value> list = new ArrayList<>();
        items.forEach(item -> list.add(value(item, nesting + 1)));
        return Value.Sequence.list(list);
    }
}
