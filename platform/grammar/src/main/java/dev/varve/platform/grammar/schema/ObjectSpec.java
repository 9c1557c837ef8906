package dev.varve.platform.grammar.schema;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Objects that meet all of some constraints. Immutable.
 *
 * @param named constraints of the values of properties, by name, in the order of the schema
 * @param required required names, in the order of the schema
 * @param rules constraints of further properties, and of the named ones too
 * @param witnesses for each of them some property of its names must have its value
 * @param least minimum number of properties
 * @param most maximum number of properties; {@link Integer#MAX_VALUE} for any number
 * @param evaluated properties that were evaluated; nothing if no schema uses that
 */
record ObjectSpec(
        Map<String, Formula> named,
        Set<String> required,
        List<PropertyRule> rules,
        List<PropertyRule> witnesses,
        int least,
        int most,
        EvaluatedProperties evaluated) {
    /** Every object. */
    static final ObjectSpec ANY =
            new ObjectSpec(
                    Map.of(),
                    Set.of(),
                    List.of(),
                    List.of(),
                    0,
                    Integer.MAX_VALUE,
                    EvaluatedProperties.NONE);

    ObjectSpec {
        named = Collections.unmodifiableMap(new LinkedHashMap<>(named));
        required = Collections.unmodifiableSet(new LinkedHashSet<>(required));
        rules = List.copyOf(rules);
        witnesses = List.copyOf(witnesses);
    }

    ObjectSpec withNamed(Map<String, Formula> other) {
        return new ObjectSpec(other, required, rules, witnesses, least, most, evaluated);
    }

    ObjectSpec withRequired(Set<String> other) {
        return new ObjectSpec(named, other, rules, witnesses, least, most, evaluated);
    }

    ObjectSpec withRules(List<PropertyRule> other) {
        return new ObjectSpec(named, required, other, witnesses, least, most, evaluated);
    }

    ObjectSpec withWitnesses(List<PropertyRule> other) {
        return new ObjectSpec(named, required, rules, other, least, most, evaluated);
    }

    ObjectSpec withCount(int atLeast, int atMost) {
        return new ObjectSpec(named, required, rules, witnesses, atLeast, atMost, evaluated);
    }

    ObjectSpec withEvaluated(EvaluatedProperties other) {
        return new ObjectSpec(named, required, rules, witnesses, least, most, other);
    }

    /** The names with a constraint of their own, in the order in which they are written. */
    Set<String> declared() {
        Set<String> names = new LinkedHashSet<>(named.keySet());
        names.addAll(required);
        rules.forEach(rule -> names.addAll(rule.except()));
        witnesses.forEach(rule -> names.addAll(rule.except()));
        return names;
    }
}
