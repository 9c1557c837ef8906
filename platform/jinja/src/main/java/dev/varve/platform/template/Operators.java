package dev.varve.platform.template;

import dev.varve.platform.template.Expr.Arithmetic;
import dev.varve.platform.template.Value.Sequence;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Arithmetic operators on any values. */
final class Operators {
    private Operators() {}

    static Value arithmetic(RenderContext runtime, Arithmetic operator, Value left, Value right) {
        if (PythonArithmetic.isNumber(left) && PythonArithmetic.isNumber(right)) {
            runtime.budget().steps((words(left) + words(right)) * 2);
            return PythonArithmetic.arithmetic(operator, left, right);
        }
        if (operator == Arithmetic.REMAINDER && left instanceof TemplateString format) {
            return new PercentFormat(runtime, format, right).format();
        }
        if (left instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (right instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (operator == Arithmetic.ADD
                && left instanceof TemplateString a
                && right instanceof TemplateString b) {
            return new TemplateStringOperations(runtime.budget()).concat(a, b);
        }
        if (operator == Arithmetic.ADD
                && left instanceof Sequence a
                && right instanceof Sequence b) {
            return joined(runtime, a, b);
        }
        if (operator == Arithmetic.MULTIPLY) {
            boolean countFirst = PythonArithmetic.integer(left).isPresent();
            Value repeated = countFirst ? right : left;
            Value count = countFirst ? left : right;
            if (PythonArithmetic.integer(count).isPresent()) {
                return repeated(runtime, repeated, PythonArithmetic.index(count, "*"));
            }
        }
        throw unsupported(operator, left, right);
    }

    private static int words(Value number) {
        return number instanceof Value.Int(BigInteger integer) ? integer.bitLength() / 64 : 0;
    }

    private static EvaluationError unsupported(Arithmetic operator, Value left, Value right) {
        return new EvaluationError(
                "'"
                        + operator.symbol()
                        + "' does not work for "
                        + left.typeName()
                        + " and "
                        + right.typeName());
    }

    private static Value joined(RenderContext runtime, Sequence a, Sequence b) {
        boolean lists = a.shape() == Value.Shape.LIST && b.shape() == Value.Shape.LIST;
        boolean tuples = a.shape().isTuple() && b.shape().isTuple();
        if (!lists && !tuples) {
            throw unsupported(Arithmetic.ADD, a, b);
        }
        runtime.budget().elements((long) a.items().size() + b.items().size());
        List<Value> items = new ArrayList<>(a.items());
        items.addAll(b.items());
        return new Sequence(items, lists ? Value.Shape.LIST : Value.Shape.TUPLE);
    }

    private static Value repeated(RenderContext runtime, Value value, int times) {
        return switch (value) {
            case TemplateString string ->
                    new TemplateStringOperations(runtime.budget()).repeat(string, times);
            case Sequence sequence
                    when sequence.shape() == Value.Shape.LIST || sequence.shape().isTuple() -> {
                runtime.budget().elements(Math.max(0L, (long) sequence.items().size() * times));
                List<Value> items = new ArrayList<>();
                for (int i = 0; i < times && !sequence.items().isEmpty(); i++) {
                    items.addAll(sequence.items());
                }
                yield new Sequence(items, sequence.shape());
            }
            default ->
                    throw new EvaluationError(
                            "'*' does not work for " + value.typeName() + " and int");
        };
    }
}
