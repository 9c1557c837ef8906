package dev.varve.platform.template;

import dev.varve.platform.template.Expr.CallArguments;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Evaluates expressions. */
final class Evaluator {
    private final RenderContext runtime;
    private final Attributes attributes;

    Evaluator(RenderContext runtime) {
        this.runtime = runtime;
        this.attributes = new Attributes(runtime);
    }

    Value value(Expr expression, Scope scope) {
        runtime.budget().enter();
        Value value =
                switch (expression) {
                    case Expr.Literal literal -> literal.value();
                    case Expr.Name name -> scope.get(name.name());
                    case Expr.ListOf list -> Value.Sequence.list(values(list.items(), scope));
                    case Expr.TupleOf tuple ->
                            new Value.Sequence(values(tuple.items(), scope), Value.Shape.TUPLE);
                    case Expr.DictOf dict -> dict(dict, scope);
                    case Expr.Attribute attribute -> {
                        Value target = value(attribute.target(), scope);
                        runtime.line(attribute.line());
                        yield attributes.attribute(target, attribute.name());
                    }
                    case Expr.Item item -> {
                        Value target = value(item.target(), scope);
                        Value index = value(item.index(), scope);
                        runtime.line(item.line());
                        yield attributes.item(target, index);
                    }
                    case Expr.Slice slice -> slice(slice, scope);
                    case Expr.Call call -> call(call, scope, Map.of());
                    case Expr.Filtered filtered ->
                            filter(filtered.step(), value(filtered.input(), scope), scope);
                    case Expr.Tested tested -> test(tested, scope);
                    case Expr.Sign sign -> sign(sign, scope);
                    case Expr.Not not -> Value.of(!Truthiness.of(value(not.operand(), scope)));
                    case Expr.Binary binary -> binary(binary, scope);
                    case Expr.Logical logical -> logical(logical, scope);
                    case Expr.Compare compare -> compare(compare, scope);
                    case Expr.Concat concat -> concat(concat, scope);
                    case Expr.Conditional conditional -> conditional(conditional, scope);
                };
        runtime.budget().leave();
        return value;
    }

    private List<Value> values(List<Expr> expressions, Scope scope) {
        List<Value> values = new ArrayList<>(expressions.size());
        for (Expr expression : expressions) {
            values.add(value(expression, scope));
        }
        return values;
    }

    private Value dict(Expr.DictOf expression, Scope scope) {
        Dict dict = new Dict();
        for (Expr.Pair pair : expression.pairs()) {
            Value key = value(pair.key(), scope);
            Value value = value(pair.value(), scope);
            runtime.line(expression.line());
            dict.put(key, value);
        }
        return dict;
    }

    private Value slice(Expr.Slice slice, Scope scope) {
        Value target = value(slice.target(), scope);
        Optional<Value> start = slice.start().map(bound -> value(bound, scope));
        Optional<Value> stop = slice.stop().map(bound -> value(bound, scope));
        Optional<Value> step = slice.step().map(bound -> value(bound, scope));
        runtime.line(slice.line());
        return attributes.slice(target, start, stop, step);
    }

    /** Calls with the written arguments and further named ones. */
    Value call(Expr.Call call, Scope scope, Map<String, Value> extra) {
        Value callee = value(call.callee(), scope);
        Arguments arguments = arguments(call.arguments(), scope, extra);
        runtime.line(call.line());
        return runtime.call(callee, arguments);
    }

    private Arguments arguments(CallArguments written, Scope scope, Map<String, Value> extra) {
        if (written == CallArguments.NONE && extra.isEmpty()) {
            return Arguments.NONE;
        }
        List<Value> positional = values(written.positional(), scope);
        Map<String, Value> keywords = new LinkedHashMap<>();
        written.keywords()
                .forEach(named -> keywords.put(named.name(), value(named.value(), scope)));
        written.starred()
                .ifPresent(starred -> positional.addAll(runtime.items(value(starred, scope))));
        written.doubleStarred().ifPresent(starred -> unpack(value(starred, scope), keywords));
        extra.forEach(
                (name, value) -> {
                    if (keywords.put(name, value) != null) {
                        throw new EvaluationError("an argument is given twice");
                    }
                });
        return new Arguments(positional, keywords);
    }

    private void unpack(Value value, Map<String, Value> keywords) {
        if (!(value instanceof Dict dict)) {
            throw new EvaluationError("'**' expects a dict, found " + value.typeName());
        }
        for (Dict.Entry entry : dict.entries()) {
            runtime.budget().step();
            if (!(entry.key() instanceof TemplateString name)
                    || keywords.put(name.text(), entry.value()) != null) {
                throw new EvaluationError("'**' expects names that are not given yet");
            }
        }
    }

    Value filter(Expr.Step step, Value input, Scope scope) {
        Arguments arguments = arguments(step.arguments(), scope, Map.of());
        runtime.line(step.line());
        return runtime.filter(step.name(), input, arguments);
    }

    private Value test(Expr.Tested tested, Scope scope) {
        Value input = value(tested.input(), scope);
        Arguments arguments = arguments(tested.step().arguments(), scope, Map.of());
        runtime.line(tested.step().line());
        return Value.of(runtime.test(tested.step().name(), input, arguments));
    }

    private Value sign(Expr.Sign sign, Scope scope) {
        Value operand = value(sign.operand(), scope);
        runtime.line(sign.line());
        if (operand instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        boolean keeps = !sign.negative() && operand instanceof Value.Real;
        Value negated = PythonArithmetic.negated(operand);
        return keeps ? operand : sign.negative() ? negated : PythonArithmetic.negated(negated);
    }

    /** Sums of many terms are left-nested; iterating over that side keeps the Java stack flat. */
    private Value binary(Expr.Binary expression, Scope scope) {
        Deque<Expr.Binary> pending = new ArrayDeque<>();
        Expr left = expression;
        while (left instanceof Expr.Binary binary) {
            pending.push(binary);
            left = binary.left();
        }
        Value result = value(left, scope);
        for (Expr.Binary binary : pending) {
            Value right = value(binary.right(), scope);
            runtime.line(binary.line());
            result = Operators.arithmetic(runtime, binary.operator(), result, right);
        }
        return result;
    }

    private Value logical(Expr.Logical logical, Scope scope) {
        Value value = Value.NONE;
        for (Expr operand : logical.operands()) {
            value = value(operand, scope);
            if (Truthiness.of(value) != logical.conjunction()) {
                return value;
            }
        }
        return value;
    }

    private Value compare(Expr.Compare compare, Scope scope) {
        Value left = value(compare.first(), scope);
        for (Expr.Comparison comparison : compare.rest()) {
            Value right = value(comparison.right(), scope);
            runtime.line(comparison.line());
            if (!runtime.order().holds(comparison.relation(), left, right)) {
                return Value.FALSE;
            }
            left = right;
        }
        return Value.TRUE;
    }

    private Value concat(Expr.Concat concat, Scope scope) {
        TemplateString.Builder out = runtime.budget().builder();
        for (Expr part : concat.parts()) {
            out.append(runtime.str(value(part, scope)));
        }
        runtime.line(concat.line());
        return runtime.budget().counted(out.build());
    }

    private Value conditional(Expr.Conditional conditional, Scope scope) {
        if (Truthiness.of(value(conditional.test(), scope))) {
            return value(conditional.then(), scope);
        }
        return conditional
                .otherwise()
                .map(otherwise -> value(otherwise, scope))
                .orElseGet(
                        () ->
                                new Value.Undefined(
                                        "the inline if on line "
                                                + conditional.line()
                                                + " has no else"));
    }
}
