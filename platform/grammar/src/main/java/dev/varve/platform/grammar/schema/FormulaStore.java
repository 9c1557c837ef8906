package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.WorkBudget;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Creates formulas, simplified, and keeps one object of each. */
final class FormulaStore {
    private static final Formula[] NONE = {};

    private final WorkBudget budget;
    private final Map<Key, Formula> formulas = new HashMap<>();
    private final Formula everything;
    private final Formula nothing;

    private record Key(Formula.Kind kind, List<Integer> parts, Object subject) {}

    FormulaStore(WorkBudget budget) {
        this.budget = budget;
        everything = intern(Formula.Kind.TRUE, NONE, null);
        nothing = intern(Formula.Kind.FALSE, NONE, null);
    }

    /** Any value. */
    Formula everything() {
        return everything;
    }

    /** No value. */
    Formula nothing() {
        return nothing;
    }

    /** The values of a schema. */
    Formula of(Subschema site) {
        Subschema target = site.target();
        if (target.node().isBoolean()) {
            return target.node().booleanValue() ? everything : nothing;
        }
        if (target.isUnconstrained()) {
            return everything;
        }
        return target.onlyValue()
                .map(value -> constant(new Constant(value)))
                .orElseGet(() -> intern(Formula.Kind.SITE, NONE, target));
    }

    /** The set of one value. */
    Formula constant(Constant value) {
        return intern(Formula.Kind.CONSTANT, NONE, value);
    }

    /** The intersection of all parts. */
    Formula all(Formula... parts) {
        return combine(Formula.Kind.ALL_OF, List.of(parts), everything, nothing);
    }

    /** The intersection of all parts. */
    Formula all(Collection<Formula> parts) {
        return combine(Formula.Kind.ALL_OF, parts, everything, nothing);
    }

    /** The union of all parts. */
    Formula any(Formula... parts) {
        return combine(Formula.Kind.ANY_OF, List.of(parts), nothing, everything);
    }

    private Formula combine(
            Formula.Kind kind, Collection<Formula> parts, Formula neutral, Formula absorbing) {
        SortedMap<Integer, Formula> sorted = new TreeMap<>();
        flatten(kind, parts, sorted);
        sorted.remove(neutral.id);
        if (sorted.containsKey(absorbing.id)
                || hasOpposites(sorted)
                || kind == Formula.Kind.ALL_OF && constants(sorted) > 1) {
            return absorbing;
        }
        if (sorted.size() < 2) {
            return sorted.isEmpty() ? neutral : sorted.get(sorted.firstKey());
        }
        return intern(kind, sorted.values().toArray(Formula[]::new), null);
    }

    private void flatten(
            Formula.Kind kind, Collection<Formula> parts, SortedMap<Integer, Formula> into) {
        for (Formula part : parts) {
            if (part.kind == kind) {
                flatten(kind, List.of(part.parts), into);
            } else {
                into.put(part.id, part);
            }
        }
    }

    private static long constants(SortedMap<Integer, Formula> parts) {
        return parts.values().stream().filter(part -> part.kind == Formula.Kind.CONSTANT).count();
    }

    private static boolean hasOpposites(SortedMap<Integer, Formula> parts) {
        for (Formula part : parts.values()) {
            if (part.kind == Formula.Kind.NOT && parts.containsKey(part.parts[0].id)) {
                return true;
            }
        }
        return false;
    }

    /** The complement. */
    Formula not(Formula part) {
        return switch (part.kind) {
            case TRUE -> nothing;
            case FALSE -> everything;
            case NOT -> part.parts[0];
            default -> intern(Formula.Kind.NOT, new Formula[] {part}, null);
        };
    }

    private Formula intern(Formula.Kind kind, Formula[] parts, Object subject) {
        List<Integer> ids = new ArrayList<>(parts.length);
        for (Formula part : parts) {
            ids.add(part.id);
        }
        budget.spend(10L + parts.length);
        return formulas.computeIfAbsent(
                new Key(kind, ids, subject),
                _ -> new Formula(formulas.size(), kind, parts, subject));
    }
}
