package dev.varve.platform.template;

import java.math.BigInteger;
import java.util.List;

/** A value inside a template, with Python's semantics. */
sealed interface Value
        permits TemplateString,
                Value.None,
                Value.Undefined,
                Value.Bool,
                Value.Int,
                Value.Real,
                Value.Sequence,
                Value.Generator,
                Value.Callable,
                Dict,
                NamespaceObject,
                Loop {

    /** Returns Python's name of the type. */
    String typeName();

    /** {@code None}. */
    record None() implements Value {
        @Override
        public String typeName() {
            return "NoneType";
        }
    }

    /**
     * A name, key or attribute that does not exist: false, empty, and an error for any operation on
     * it.
     *
     * @param what the message of that error
     */
    record Undefined(String what) implements Value {
        @Override
        public String typeName() {
            return "Undefined";
        }

        EvaluationError error() {
            return new EvaluationError(what);
        }
    }

    /** {@code True} or {@code False}. */
    record Bool(boolean value) implements Value {
        @Override
        public String typeName() {
            return "bool";
        }
    }

    /** An integer of any size that the limits permit. */
    record Int(BigInteger value) implements Value {
        static Int of(long value) {
            return new Int(BigInteger.valueOf(value));
        }

        @Override
        public String typeName() {
            return "int";
        }
    }

    /** A float. */
    record Real(double value) implements Value {
        @Override
        public String typeName() {
            return "float";
        }
    }

    /** Python type of a {@link Sequence}. */
    enum Shape {
        LIST("list"),
        TUPLE("tuple"),
        RANGE("range"),
        KEYS("dict_keys"),
        VALUES("dict_values"),
        ITEMS("dict_items"),
        /**
         * The pair of a {@code groupby}, a tuple whose fields are also called {@code grouper} and
         * {@code list}.
         */
        GROUP("tuple");

        private final String typeName;

        Shape(String typeName) {
            this.typeName = typeName;
        }

        boolean isTuple() {
            return this == TUPLE || this == GROUP;
        }

        boolean isHashable() {
            return isTuple() || this == RANGE;
        }

        boolean isView() {
            return this == KEYS || this == VALUES || this == ITEMS;
        }
    }

    /** A value with elements in order; only the elements of a {@link Shape#LIST} may change. */
    record Sequence(List<Value> items, Shape shape) implements Value {
        static Sequence list(List<Value> items) {
            return new Sequence(items, Shape.LIST);
        }

        static Sequence tuple(Value... items) {
            return new Sequence(List.of(items), Shape.TUPLE);
        }

        @Override
        public String typeName() {
            return shape.typeName;
        }
    }

    /**
     * The result of {@code map}, {@code select} and the like: can be iterated once, has no length,
     * is always true.
     */
    final class Generator implements Value {
        private final List<Value> items;
        private int next;

        Generator(List<Value> items) {
            this.items = items;
        }

        boolean hasNext() {
            return next < items.size();
        }

        Value next() {
            return items.get(next++);
        }

        List<Value> rest() {
            List<Value> rest = items.subList(next, items.size());
            next = items.size();
            return rest;
        }

        @Override
        public String typeName() {
            return "generator";
        }
    }

    /** A callable value: a global function, a method bound to its object, or a macro. */
    record Callable(String name, Body body) implements Value {
        /** Implementation of a {@link Callable}. */
        interface Body {
            Value call(Arguments arguments);
        }

        @Override
        public String typeName() {
            return "function";
        }
    }

    Value NONE = new None();
    Value TRUE = new Bool(true);
    Value FALSE = new Bool(false);

    static Value of(boolean value) {
        return value ? TRUE : FALSE;
    }
}
