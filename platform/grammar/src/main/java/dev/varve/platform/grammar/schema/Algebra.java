package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.WorkBudget;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;

/** Intersection, union and complement of normal forms. */
final class Algebra {
    /** Maximum alternatives of one type, and maximum pairs that are combined. */
    private static final int MOST_ALTERNATIVES = 400;

    /** Units of work for combining two alternatives, without the work of other classes. */
    private static final int PAIR = 100;

    private final SchemaNormalizer model;
    private final NumberSets numbers;
    private final StringSets strings;
    private final ObjectAlgebra objects;
    private final ArrayAlgebra arrays;
    private final WorkBudget budget;
    private final NormalForm everything;
    private final NormalForm nothing;

    Algebra(SchemaNormalizer model) {
        this.model = model;
        numbers = model.numbers();
        strings = model.strings();
        objects = model.objects();
        arrays = new ArrayAlgebra(model.formulas(), model.emptiness());
        budget = model.store().budget();
        everything =
                new NormalForm(
                        true,
                        true,
                        true,
                        numbers.everything(),
                        strings.everything(),
                        List.of(arrays.any()),
                        List.of(ObjectSpec.ANY));
        nothing =
                new NormalForm(
                        false,
                        false,
                        false,
                        numbers.nothing(),
                        strings.nothing(),
                        List.of(),
                        List.of());
    }

    ArrayAlgebra arrays() {
        return arrays;
    }

    NormalForm everything() {
        return everything;
    }

    NormalForm nothing() {
        return nothing;
    }

    /** The set of one value. */
    NormalForm constant(Constant constant) {
        JsonNode value = constant.value();
        if (value.isNumber()) {
            return nothing.withNumbers(numbers.equalTo(value.decimalValue()));
        }
        if (value.isString()) {
            return nothing.withStrings(strings.of(List.of(value.stringValue())));
        }
        if (value.isArray()) {
            return nothing.withArrays(List.of(arrays.constant(value)));
        }
        if (value.isObject()) {
            return nothing.withObjects(List.of(objects.constant(value)));
        }
        boolean truth = value.isBoolean() && value.booleanValue();
        return nothing.withLiterals(value.isNull(), truth, value.isBoolean() && !truth);
    }

    /** The intersection. */
    NormalForm and(NormalForm a, NormalForm b) {
        if (a == everything || b == nothing) {
            return b;
        }
        if (b == everything || a == nothing) {
            return a;
        }
        return new NormalForm(
                a.isNull() && b.isNull(),
                a.isTrue() && b.isTrue(),
                a.isFalse() && b.isFalse(),
                numbers.and(a.numbers(), b.numbers()),
                strings.and(a.strings(), b.strings()),
                product(a.arrays(), b.arrays(), arrays::and, this::mayBe),
                product(a.objects(), b.objects(), objects::and, this::mayBe));
    }

    private boolean isAlive(Regex regex) {
        return model.store().isAlive(regex);
    }

    private boolean mayBe(ArraySpec spec) {
        return !model.emptiness().isEmpty(spec);
    }

    private boolean mayBe(ObjectSpec spec) {
        return !model.emptiness().isEmpty(spec);
    }

    private <T> List<T> product(
            List<T> a, List<T> b, BinaryOperator<T> combine, Predicate<T> keeps) {
        if (a.equals(b) && a.size() == 1) {
            return a;
        }
        budget.spend((long) PAIR * a.size() * b.size());
        Set<T> all = new LinkedHashSet<>();
        for (T first : a) {
            for (T second : b) {
                T both = combine.apply(first, second);
                if (keeps.test(both)) {
                    all.add(both);
                    checkNumber(all);
                }
            }
        }
        return List.copyOf(all);
    }

    private static void checkNumber(Collection<?> alternatives) {
        if (alternatives.size() > MOST_ALTERNATIVES) {
            throw new InexactException(
                    "has more than " + MOST_ALTERNATIVES + " alternatives for one value");
        }
    }

    /** The union. */
    NormalForm or(NormalForm a, NormalForm b) {
        return any(List.of(a, b));
    }

    /** The union of several forms. */
    NormalForm any(Collection<NormalForm> all) {
        return nothing.withLiterals(
                        all.stream().anyMatch(NormalForm::isNull),
                        all.stream().anyMatch(NormalForm::isTrue),
                        all.stream().anyMatch(NormalForm::isFalse))
                .withNumbers(numbers.or(all.stream().map(NormalForm::numbers).toList()))
                .withStrings(strings.or(all.stream().map(NormalForm::strings).toList()))
                .withArrays(union(all, NormalForm::arrays, arrays.any()))
                .withObjects(union(all, NormalForm::objects, ObjectSpec.ANY));
    }

    private <T> List<T> union(
            Collection<NormalForm> all, Function<NormalForm, List<T>> part, T any) {
        Set<T> alternatives = new LinkedHashSet<>();
        for (NormalForm each : all) {
            alternatives.addAll(part.apply(each));
            checkNumber(alternatives);
        }
        // Alternatives with the same values may still differ in the evaluated parts.
        return alternatives.contains(any) && !model.tracksEvaluation()
                ? List.of(any)
                : List.copyOf(alternatives);
    }

    /** The complement. */
    NormalForm not(NormalForm normal) {
        return new NormalForm(
                !normal.isNull(),
                !normal.isTrue(),
                !normal.isFalse(),
                numbers.not(normal.numbers()),
                strings.not(normal.strings()),
                complement(normal.arrays(), arrays.any(), arrays::not, arrays::and, this::mayBe),
                complement(
                        normal.objects(), ObjectSpec.ANY, objects::not, objects::and, this::mayBe));
    }

    private <T> List<T> complement(
            List<T> alternatives,
            T any,
            Function<T, List<T>> not,
            BinaryOperator<T> and,
            Predicate<T> keeps) {
        List<T> all = List.of(any);
        for (T each : alternatives) {
            all = product(all, new ArrayList<>(not.apply(each)), and, keeps);
        }
        return all;
    }

    /**
     * The values of the first that are not in the second. Unlike {@link #not} and {@link #and},
     * this complements only alternatives that can overlap.
     */
    NormalForm minus(NormalForm a, NormalForm b) {
        boolean numbersMeet =
                !a.numbers().isNothing()
                        && !b.numbers().isNothing()
                        && isAlive(numbers.and(a.numbers(), b.numbers()).plain());
        boolean stringsMeet =
                !a.strings().isNothing()
                        && !b.strings().isNothing()
                        && isAlive(strings.and(a.strings(), b.strings()).outer());
        return a.withLiterals(
                        a.isNull() && !b.isNull(),
                        a.isTrue() && !b.isTrue(),
                        a.isFalse() && !b.isFalse())
                .withNumbers(
                        numbersMeet
                                ? numbers.and(a.numbers(), numbers.not(b.numbers()))
                                : a.numbers())
                .withStrings(
                        stringsMeet
                                ? strings.and(a.strings(), strings.not(b.strings()))
                                : a.strings())
                .withArrays(subtract(a.arrays(), b.arrays(), this::meet, this::without))
                .withObjects(subtract(a.objects(), b.objects(), this::meet, this::without));
    }

    private boolean meet(ArraySpec a, ArraySpec b) {
        return mayBe(arrays.and(a, b));
    }

    private boolean meet(ObjectSpec a, ObjectSpec b) {
        return !objects.areApart(a, b) && mayBe(objects.and(a, b));
    }

    private List<ArraySpec> without(List<ArraySpec> all, ArraySpec some) {
        return product(all, arrays.not(some), arrays::and, this::mayBe);
    }

    private List<ObjectSpec> without(List<ObjectSpec> all, ObjectSpec some) {
        return product(all, objects.not(some), objects::and, this::mayBe);
    }

    private <T> List<T> subtract(
            List<T> from,
            List<T> what,
            BiPredicate<T, T> meet,
            BiFunction<List<T>, T, List<T>> without) {
        Set<T> all = new LinkedHashSet<>();
        for (T each : from) {
            List<T> left = List.of(each);
            for (T other : what) {
                budget.spend(PAIR);
                if (meet.test(each, other)) {
                    left = without.apply(left, other);
                }
            }
            all.addAll(left);
            checkNumber(all);
        }
        return List.copyOf(all);
    }
}
