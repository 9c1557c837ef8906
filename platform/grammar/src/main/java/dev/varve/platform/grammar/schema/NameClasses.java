package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Divides the undeclared names of an object by patterns, until all names of a class have the same
 * constraint on their values.
 *
 * <p>Pairs of disjoint patterns are found in advance, which is cheap and done once. A class
 * mentions only those patterns that overlap its own ones, because a search for a name costs as much
 * as the class has parts, for each state.
 */
final class NameClasses {
    private static final int MOST_CLASSES = 64;

    private final RegexStore store;
    private final Regex undeclared;
    private List<NameClass> all;

    /**
     * Undeclared names, with the constraint of their values.
     *
     * @param names the expression of the names
     * @param witnesses numbers of the object's witnesses that a property of such a name may be
     * @param matched patterns that all of them match
     * @param excluded patterns that none of them matches, as far as they overlap those
     */
    record NameClass(
            Regex names,
            Formula value,
            Set<Integer> witnesses,
            List<Regex> matched,
            List<Regex> excluded) {
        /** The same names with another constraint. */
        NameClass withValue(Formula other) {
            return new NameClass(names, other, witnesses, matched, excluded);
        }

        /** The same names, which may also be a further witness. */
        NameClass withWitness(int number) {
            Set<Integer> more = new LinkedHashSet<>(witnesses);
            more.add(number);
            return new NameClass(names, value, more, matched, excluded);
        }
    }

    /** Creates one class of all undeclared names. */
    NameClasses(RegexStore store, Regex undeclared, Formula value) {
        this.store = store;
        this.undeclared = undeclared;
        all = List.of(new NameClass(undeclared, value, Set.of(), List.of(), List.of()));
    }

    /** The classes, which are disjoint. */
    List<NameClass> all() {
        return all;
    }

    /**
     * Applies a change to the names of each class that match a pattern, splitting classes.
     *
     * @throws InexactException if there are too many classes
     */
    void divide(Regex pattern, UnaryOperator<NameClass> change) {
        List<NameClass> divided = new ArrayList<>();
        for (NameClass each : all) {
            if (pattern == store.anything()) {
                add(divided, change.apply(each));
            } else {
                divide(each, pattern, change, divided);
            }
        }
        all = divided;
    }

    private void divide(
            NameClass names,
            Regex pattern,
            UnaryOperator<NameClass> change,
            List<NameClass> divided) {
        if (!names.matched().stream().allMatch(each -> overlap(each, pattern))) {
            add(divided, names);
            return;
        }
        List<Regex> matched = with(names.matched(), pattern);
        List<Regex> excluded =
                names.excluded().stream().filter(each -> overlap(each, pattern)).toList();
        Regex inside = names(matched, excluded);
        if (!store.isAlive(inside)) {
            add(divided, names);
            return;
        }
        NameClass changed = change.apply(names);
        add(
                divided,
                new NameClass(inside, changed.value(), changed.witnesses(), matched, excluded));
        List<Regex> others = with(names.excluded(), pattern);
        Regex outside = names(names.matched(), others);
        if (store.isAlive(outside)) {
            add(
                    divided,
                    new NameClass(
                            outside, names.value(), names.witnesses(), names.matched(), others));
        }
    }

    private boolean overlap(Regex first, Regex second) {
        return store.isAlive(store.and(first, second));
    }

    private Regex names(List<Regex> matched, List<Regex> excluded) {
        List<Regex> parts = new ArrayList<>(matched);
        parts.add(undeclared);
        excluded.forEach(each -> parts.add(store.not(each)));
        return store.and(parts.toArray(Regex[]::new));
    }

    private static List<Regex> with(List<Regex> patterns, Regex further) {
        List<Regex> all = new ArrayList<>(patterns);
        all.add(further);
        return all;
    }

    private static void add(List<NameClass> all, NameClass names) {
        if (!names.value().isFalse()) {
            all.add(names);
            if (all.size() > MOST_CLASSES) {
                throw new InexactException(
                        "has more than "
                                + MOST_CLASSES
                                + " combinations of patterns of property names",
                        "patternProperties",
                        "propertyNames",
                        "unevaluatedProperties",
                        "additionalProperties");
            }
        }
    }
}
