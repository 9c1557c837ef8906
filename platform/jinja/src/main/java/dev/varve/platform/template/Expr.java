package dev.varve.platform.template;

import java.util.List;
import java.util.Optional;

/** An expression. Lines are those of the operator or name, counted from 1. */
sealed interface Expr {
    /** A constant. */
    record Literal(Value value) implements Expr {}

    /** A variable. */
    record Name(String name, int line) implements Expr {}

    /** {@code [a, b]}. */
    record ListOf(List<Expr> items) implements Expr {}

    /** {@code (a, b)}. */
    record TupleOf(List<Expr> items) implements Expr {}

    /** {@code {a: b}}. */
    record DictOf(List<Pair> pairs, int line) implements Expr {}

    /** Key and value of a {@link DictOf}. */
    record Pair(Expr key, Expr value) {}

    /** {@code target.name}. */
    record Attribute(Expr target, String name, int line) implements Expr {}

    /** {@code target[index]}. */
    record Item(Expr target, Expr index, int line) implements Expr {}

    /** {@code target[start:stop:step]}. */
    record Slice(
            Expr target, Optional<Expr> start, Optional<Expr> stop, Optional<Expr> step, int line)
            implements Expr {}

    /** {@code callee(arguments)}. */
    record Call(Expr callee, CallArguments arguments, int line) implements Expr {}

    /** {@code input | step}. */
    record Filtered(Expr input, Step step) implements Expr {}

    /** {@code input is step}. */
    record Tested(Expr input, Step step) implements Expr {}

    /** {@code -operand} or {@code +operand}. */
    record Sign(boolean negative, Expr operand, int line) implements Expr {}

    /** {@code not operand}. */
    record Not(Expr operand) implements Expr {}

    /** Arithmetic on two operands. */
    record Binary(Arithmetic operator, Expr left, Expr right, int line) implements Expr {}

    /** {@code and} or {@code or} of at least two operands. */
    record Logical(boolean conjunction, List<Expr> operands) implements Expr {}

    /** {@code a < b <= c}: true when each neighbour comparison is. */
    record Compare(Expr first, List<Comparison> rest) implements Expr {}

    /** One operator of a {@link Compare} and its right operand. */
    record Comparison(Relation relation, Expr right, int line) {}

    /** {@code a ~ b}. */
    record Concat(List<Expr> parts, int line) implements Expr {}

    /** {@code then if test else otherwise}. */
    record Conditional(Expr test, Expr then, Optional<Expr> otherwise, int line) implements Expr {}

    /** Name and arguments of a filter or test. */
    record Step(String name, CallArguments arguments, int line) {}

    /** Arguments as written. */
    record CallArguments(
            List<Expr> positional,
            List<Named> keywords,
            Optional<Expr> starred,
            Optional<Expr> doubleStarred) {
        static final CallArguments NONE =
                new CallArguments(List.of(), List.of(), Optional.empty(), Optional.empty());
    }

    /** {@code name=value} of a call. */
    record Named(String name, Expr value) {}

    /** Arithmetic operators. */
    enum Arithmetic {
        ADD("+"),
        SUBTRACT("-"),
        MULTIPLY("*"),
        DIVIDE("/"),
        FLOOR_DIVIDE("//"),
        REMAINDER("%"),
        POWER("**");

        private final String symbol;

        Arithmetic(String symbol) {
            this.symbol = symbol;
        }

        String symbol() {
            return symbol;
        }
    }

    /** Comparison operators. */
    enum Relation {
        EQUAL,
        NOT_EQUAL,
        LESS,
        LESS_OR_EQUAL,
        GREATER,
        GREATER_OR_EQUAL,
        IN,
        NOT_IN
    }
}
