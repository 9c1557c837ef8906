package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What the values of all properties of some names must be.
 *
 * @param except names it does not speak of, whatever the expression
 * @param names expression of the names it speaks of, within all that {@link StringSets} can write
 * @param value what their values must be
 */
record PropertyRule(Set<String> except, Regex names, Formula value) {
    PropertyRule {
        except = Collections.unmodifiableSet(new LinkedHashSet<>(except));
    }

    boolean appliesTo(String name, StringSets strings) {
        return !except.contains(name) && strings.matches(names, name);
    }

    /** The same names with another demand. */
    PropertyRule with(Formula other) {
        return new PropertyRule(except, names, other);
    }
}
