package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A constraint on the values of all properties of some names.
 *
 * @param except names that it does not apply to, even if the expression matches
 * @param names expression of the names that it applies to, within all that {@link StringSets} can
 *     write
 * @param value constraint of their values
 */
record PropertyRule(Set<String> except, Regex names, Formula value) {
    PropertyRule {
        except = Collections.unmodifiableSet(new LinkedHashSet<>(except));
    }

    boolean appliesTo(String name, StringSets strings) {
        return !except.contains(name) && strings.matches(names, name);
    }

    /** The same names with another constraint. */
    PropertyRule with(Formula other) {
        return new PropertyRule(except, names, other);
    }
}
