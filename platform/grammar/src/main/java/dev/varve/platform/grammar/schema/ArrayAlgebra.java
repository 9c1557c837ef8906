package dev.varve.platform.grammar.schema;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Intersection and complement of sets of arrays. */
final class ArrayAlgebra {
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int MOST_PREFIX = 2000;

    private final FormulaStore formulas;
    private final FormulaEmptinessCheck emptiness;
    private final ArraySpec any;

    ArrayAlgebra(FormulaStore formulas, FormulaEmptinessCheck emptiness) {
        this.formulas = formulas;
        this.emptiness = emptiness;
        any =
                new ArraySpec(
                        List.of(),
                        formulas.everything(),
                        0,
                        UNLIMITED,
                        List.of(),
                        false,
                        0,
                        formulas.nothing());
    }

    /** Every array. */
    ArraySpec any() {
        return any;
    }

    /** The set of one array. */
    ArraySpec constant(JsonNode value) {
        List<Formula> items = new ArrayList<>();
        value.forEach(item -> items.add(formulas.constant(new Constant(item))));
        return any.withItems(items, formulas.nothing()).withCount(items.size(), items.size());
    }

    /** The intersection. */
    ArraySpec and(ArraySpec a, ArraySpec b) {
        int least = Math.max(a.least(), b.least());
        int most = Math.min(a.most(), b.most());
        List<Formula> prefix = new ArrayList<>();
        for (int i = 0; i < Math.max(a.prefix().size(), b.prefix().size()); i++) {
            prefix.add(formulas.all(a.item(i), b.item(i)));
        }
        Formula rest = formulas.all(a.rest(), b.rest());
        Set<ArraySpec.Containing> contains = new LinkedHashSet<>(a.contains());
        contains.addAll(b.contains());
        return new ArraySpec(
                prefix,
                rest,
                least,
                emptiness.isEmpty(rest) ? Math.min(most, prefix.size()) : most,
                List.copyOf(contains),
                a.unique() || b.unique(),
                Math.max(a.evaluated(), b.evaluated()),
                formulas.any(a.evaluatedToo(), b.evaluatedToo()));
    }

    /** The complement, as alternatives that may overlap. */
    List<ArraySpec> not(ArraySpec spec) {
        if (spec.unique() && spec.most() > 1) {
            throw new InexactException("requires arrays with equal items, which is not supported");
        }
        List<ArraySpec> all = new ArrayList<>();
        if (spec.least() > 0) {
            all.add(any.withCount(0, spec.least() - 1));
        }
        if (spec.most() < UNLIMITED) {
            all.add(any.withCount(spec.most() + 1, UNLIMITED));
        }
        for (int i = 0; i < spec.prefix().size(); i++) {
            if (!spec.prefix().get(i).isTrue()) {
                all.add(withItem(i, formulas.not(spec.prefix().get(i))));
            }
        }
        if (!spec.rest().isTrue() && spec.most() > spec.prefix().size()) {
            all.add(containing(formulas.not(spec.rest()), spec.prefix().size(), 1, UNLIMITED));
        }
        for (ArraySpec.Containing each : spec.contains()) {
            if (each.least() > 0) {
                all.add(containing(each.item(), each.from(), 0, each.least() - 1));
            }
            if (each.most() < UNLIMITED) {
                all.add(containing(each.item(), each.from(), each.most() + 1, UNLIMITED));
            }
        }
        return all;
    }

    private ArraySpec withItem(int place, Formula item) {
        if (place > MOST_PREFIX) {
            throw new InexactException("has too many items with schemas of their own");
        }
        List<Formula> prefix = new ArrayList<>();
        for (int i = 0; i < place; i++) {
            prefix.add(formulas.everything());
        }
        prefix.add(item);
        return any.withItems(prefix, formulas.everything()).withCount(place + 1, UNLIMITED);
    }

    private ArraySpec containing(Formula item, int from, int least, int most) {
        if (most == 0 && from == 0) {
            return any.withItems(List.of(), formulas.not(item));
        }
        return any.withContains(List.of(new ArraySpec.Containing(item, from, least, most)))
                .withCount(least == 0 ? 0 : from + least, UNLIMITED);
    }
}
