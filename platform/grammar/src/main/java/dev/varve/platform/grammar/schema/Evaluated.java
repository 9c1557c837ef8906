package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which properties of an object some keywords have looked at, for {@code unevaluatedProperties}.
 *
 * @param all whether they are all properties
 * @param names by name
 * @param patterns by expression
 */
record Evaluated(boolean all, Set<String> names, Set<Regex> patterns) {
    static final Evaluated NONE = new Evaluated(false, Set.of(), Set.of());
    static final Evaluated ALL = new Evaluated(true, Set.of(), Set.of());

    Evaluated {
        names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
        patterns = Collections.unmodifiableSet(new LinkedHashSet<>(patterns));
    }

    Evaluated or(Evaluated other) {
        if (all || other.all) {
            return ALL;
        }
        return new Evaluated(false, both(names, other.names), both(patterns, other.patterns));
    }

    private static <T> Set<T> both(Set<T> a, Set<T> b) {
        Set<T> both = new LinkedHashSet<>(a);
        both.addAll(b);
        return both;
    }
}
