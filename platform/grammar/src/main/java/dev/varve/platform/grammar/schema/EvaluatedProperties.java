package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Properties of an object that some keywords have evaluated, for {@code unevaluatedProperties}.
 *
 * @param all whether they are all properties
 * @param names by name
 * @param patterns by expression
 */
record EvaluatedProperties(boolean all, Set<String> names, Set<Regex> patterns) {
    static final EvaluatedProperties NONE = new EvaluatedProperties(false, Set.of(), Set.of());
    static final EvaluatedProperties ALL = new EvaluatedProperties(true, Set.of(), Set.of());

    EvaluatedProperties {
        names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
        patterns = Collections.unmodifiableSet(new LinkedHashSet<>(patterns));
    }

    EvaluatedProperties or(EvaluatedProperties other) {
        if (all || other.all) {
            return ALL;
        }
        return new EvaluatedProperties(
                false, both(names, other.names), both(patterns, other.patterns));
    }

    private static <T> Set<T> both(Set<T> a, Set<T> b) {
        Set<T> both = new LinkedHashSet<>(a);
        both.addAll(b);
        return both;
    }
}
