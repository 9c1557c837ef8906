package dev.varve.platform.template;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tests: {@code value is name(arguments)}. */
final class JinjaTests {
    /** Implementation of a test. */
    interface Test {
        boolean holds(RenderContext runtime, Value value, Arguments arguments);
    }

    static final Map<String, Test> ALL = new HashMap<>();

    static {
        plain("defined", value -> !(value instanceof Value.Undefined));
        plain("undefined", value -> value instanceof Value.Undefined);
        plain("none", value -> value instanceof Value.None);
        plain("boolean", value -> value instanceof Value.Bool);
        plain("true", value -> value instanceof Value.Bool(boolean bool) && bool);
        plain("false", value -> value instanceof Value.Bool(boolean bool) && !bool);
        plain("integer", value -> value instanceof Value.Int);
        plain("float", value -> value instanceof Value.Real);
        plain("number", PythonArithmetic::isNumber);
        plain("string", value -> value instanceof TemplateString);
        plain("mapping", value -> value instanceof Dict);
        plain("sequence", JinjaTests::isSequence);
        plain("iterable", JinjaTests::isIterable);
        plain(
                "callable",
                value ->
                        value instanceof Value.Callable
                                || value instanceof Loop
                                || value instanceof Value.Undefined);
        plain("escaped", value -> false);
        ALL.put(
                "lower",
                (runtime, value, arguments) ->
                        StringMethods.isCased(runtime.str(value).text(), false));
        ALL.put(
                "upper",
                (runtime, value, arguments) ->
                        StringMethods.isCased(runtime.str(value).text(), true));
        ALL.put("odd", (runtime, value, arguments) -> remainder(value, Value.Int.of(2)) == 1);
        ALL.put("even", (runtime, value, arguments) -> remainder(value, Value.Int.of(2)) == 0);
        ALL.put(
                "divisibleby",
                (runtime, value, arguments) -> remainder(value, only(arguments)) == 0);
        ALL.put("sameas", (runtime, value, arguments) -> isSame(runtime, value, only(arguments)));
        ALL.put(
                "filter",
                (runtime, value, arguments) -> Filters.ALL.containsKey(runtime.str(value).text()));
        ALL.put(
                "test",
                (runtime, value, arguments) ->
                        JinjaTests.ALL.containsKey(runtime.str(value).text()));
        relation(Expr.Relation.EQUAL, "eq", "equalto", "==");
        relation(Expr.Relation.NOT_EQUAL, "ne", "!=");
        relation(Expr.Relation.LESS, "lt", "lessthan", "<");
        relation(Expr.Relation.LESS_OR_EQUAL, "le", "<=");
        relation(Expr.Relation.GREATER, "gt", "greaterthan", ">");
        relation(Expr.Relation.GREATER_OR_EQUAL, "ge", ">=");
        relation(Expr.Relation.IN, "in");
    }

    private JinjaTests() {}

    private static void plain(String name, java.util.function.Predicate<Value> predicate) {
        ALL.put(
                name,
                (runtime, value, arguments) -> {
                    arguments.bind(name);
                    return predicate.test(value);
                });
    }

    private static void relation(Expr.Relation relation, String... names) {
        for (String name : names) {
            ALL.put(
                    name,
                    (runtime, value, arguments) ->
                            runtime.order().holds(relation, value, only(arguments)));
        }
    }

    private static Value only(Arguments arguments) {
        return arguments.bind("a test", "other").require("other");
    }

    /**
     * In Python: has a length and can be indexed, which includes strings, dicts and undefined
     * values.
     */
    private static boolean isSequence(Value value) {
        return switch (value) {
            case TemplateString string -> true;
            case Dict dict -> true;
            case Value.Sequence sequence -> !sequence.shape().isView();
            case Value.Undefined undefined -> true;
            default -> false;
        };
    }

    private static boolean isIterable(Value value) {
        return switch (value) {
            case TemplateString string -> true;
            case Dict dict -> true;
            case Value.Sequence sequence -> true;
            case Value.Generator generator -> true;
            case Value.Undefined undefined -> true;
            case Loop loop -> true;
            default -> false;
        };
    }

    private static double remainder(Value value, Value divisor) {
        if (value instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (!PythonArithmetic.isNumber(value) || !PythonArithmetic.isNumber(divisor)) {
            throw new EvaluationError("the test expects a number, found " + value.typeName());
        }
        return PythonArithmetic.real(
                PythonArithmetic.arithmetic(Expr.Arithmetic.REMAINDER, value, divisor));
    }

    private static boolean isSame(RenderContext runtime, Value a, Value b) {
        boolean scalars =
                List.of(Value.None.class, Value.Bool.class, Value.Int.class, TemplateString.class)
                        .contains(a.getClass());
        return a == b || scalars && a.getClass() == b.getClass() && runtime.order().equal(a, b);
    }
}
