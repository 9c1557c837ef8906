package dev.varve.platform.template;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Equality, order and containment. */
final class ValueComparison {
    private final RenderBudget budget;

    ValueComparison(RenderBudget budget) {
        this.budget = budget;
    }

    boolean equal(Value left, Value right) {
        if (PythonArithmetic.isNumber(left) && PythonArithmetic.isNumber(right)) {
            return !isNan(left) && !isNan(right) && compareNumbers(left, right) == 0;
        }
        return switch (left) {
            case TemplateString string ->
                    right instanceof TemplateString other && equal(string, other);
            case Value.None none -> right instanceof Value.None;
            case Value.Undefined undefined -> right instanceof Value.Undefined;
            case Value.Sequence sequence ->
                    right instanceof Value.Sequence other && equal(sequence, other);
            case Dict dict -> right instanceof Dict other && equal(dict, other);
            default -> left == right;
        };
    }

    private boolean equal(TemplateString left, TemplateString right) {
        boolean sameLength = left.length() == right.length();
        budget.steps(sameLength ? left.length() / 64 : 0);
        return sameLength && left.equals(right);
    }

    private boolean equal(Value.Sequence left, Value.Sequence right) {
        boolean sameShape =
                left.shape() == right.shape() || left.shape().isTuple() && right.shape().isTuple();
        if (!sameShape || left.items().size() != right.items().size()) {
            return false;
        }
        budget.enter();
        Iterator<Value> others = right.items().iterator();
        boolean equal = true;
        for (Value item : left.items()) {
            budget.step();
            equal = equal && equal(item, others.next());
        }
        budget.leave();
        return equal;
    }

    private boolean equal(Dict left, Dict right) {
        if (left.size() != right.size()) {
            return false;
        }
        budget.enter();
        boolean equal = true;
        for (Dict.Entry entry : left.entries()) {
            budget.step();
            Optional<Value> other = right.get(entry.key());
            equal = equal && other.isPresent() && equal(entry.value(), other.get());
        }
        budget.leave();
        return equal;
    }

    /** Returns the order of two values; those of different kinds have none. */
    int compare(Value left, Value right) {
        if (left instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (right instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (PythonArithmetic.isNumber(left) && PythonArithmetic.isNumber(right)) {
            return compareNumbers(left, right);
        }
        if (left instanceof TemplateString a && right instanceof TemplateString b) {
            budget.steps(Math.min(a.length(), b.length()) / 16);
            return compareText(a.text(), b.text());
        }
        if (left instanceof Value.Sequence a
                && right instanceof Value.Sequence b
                && (a.shape() == b.shape() || a.shape().isTuple() && b.shape().isTuple())
                && (a.shape() == Value.Shape.LIST || a.shape().isTuple())) {
            return compareItems(a.items(), b.items());
        }
        throw new EvaluationError("cannot order " + left.typeName() + " and " + right.typeName());
    }

    boolean holds(Expr.Relation relation, Value left, Value right) {
        return switch (relation) {
            case EQUAL -> equal(left, right);
            case NOT_EQUAL -> !equal(left, right);
            case IN -> contains(right, left);
            case NOT_IN -> !contains(right, left);
            case LESS -> ordered(left, right) && compare(left, right) < 0;
            case LESS_OR_EQUAL -> ordered(left, right) && compare(left, right) <= 0;
            case GREATER -> ordered(left, right) && compare(left, right) > 0;
            case GREATER_OR_EQUAL -> ordered(left, right) && compare(left, right) >= 0;
        };
    }

    /**
     * Returns whether two values are ordered: nothing is less than, equal to or greater than a NaN.
     */
    private static boolean ordered(Value left, Value right) {
        return !(PythonArithmetic.isNumber(left)
                && PythonArithmetic.isNumber(right)
                && (isNan(left) || isNan(right)));
    }

    private static boolean isNan(Value value) {
        return value instanceof Value.Real(double number) && Double.isNaN(number);
    }

    private static int compareNumbers(Value left, Value right) {
        Optional<BigInteger> a = PythonArithmetic.integer(left);
        Optional<BigInteger> b = PythonArithmetic.integer(right);
        if (a.isPresent() && b.isPresent()) {
            return a.get().compareTo(b.get());
        }
        if (a.isEmpty() && b.isEmpty() || isSpecial(left) || isSpecial(right)) {
            double x = a.map(BigInteger::doubleValue).orElseGet(() -> PythonArithmetic.real(left));
            double y = b.map(BigInteger::doubleValue).orElseGet(() -> PythonArithmetic.real(right));
            return x == y ? 0 : Double.compare(x, y);
        }
        return decimal(left).compareTo(decimal(right));
    }

    private static boolean isSpecial(Value value) {
        return value instanceof Value.Real(double number)
                && (Double.isNaN(number) || Double.isInfinite(number));
    }

    private static BigDecimal decimal(Value value) {
        return value instanceof Value.Real(double number)
                ? new BigDecimal(number)
                : new BigDecimal(PythonArithmetic.integer(value).orElseThrow());
    }

    /** Compares by code point; UTF-16 order differs above the basic plane. */
    private static int compareText(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean surrogates = Character.isSurrogate(x) != Character.isSurrogate(y);
                return surrogates ? (Character.isSurrogate(x) ? 1 : -1) : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private int compareItems(List<Value> a, List<Value> b) {
        budget.enter();
        int order = Integer.compare(a.size(), b.size());
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            budget.step();
            if (!equal(a.get(i), b.get(i))) {
                order = compare(a.get(i), b.get(i));
                break;
            }
        }
        budget.leave();
        return order;
    }

    boolean contains(Value container, Value value) {
        return switch (container) {
            case TemplateString string -> {
                if (!(value instanceof TemplateString part)) {
                    throw value instanceof Value.Undefined undefined
                            ? undefined.error()
                            : new EvaluationError(
                                    "'in' a string expects a string, found " + value.typeName());
                }
                budget.search(string.length(), part.length());
                yield string.text().contains(part.text());
            }
            case Dict dict -> dict.contains(value);
            case Value.Undefined undefined -> false;
            case Value.Sequence sequence -> contains(sequence.items(), value);
            case Value.Generator generator -> contains(generator.rest(), value);
            default ->
                    throw new EvaluationError(
                            "'in' expects a container, found " + container.typeName());
        };
    }

    private boolean contains(List<Value> items, Value value) {
        for (Value item : items) {
            budget.step();
            if (equal(item, value)) {
                return true;
            }
        }
        return false;
    }
}
