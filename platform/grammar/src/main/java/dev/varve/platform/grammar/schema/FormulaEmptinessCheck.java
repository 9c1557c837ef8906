package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.RegexStore;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Detects formulas and specs without values. A result of empty is certain; where recursion or depth
 * prevent a decision, it reports that there may be a value.
 */
final class FormulaEmptinessCheck {
    private static final int MOST_DEPTH = 20;

    private final SchemaNormalizer model;
    private final RegexStore store;
    private final Map<Formula, Boolean> known = new HashMap<>();
    private final Set<Formula> open = new HashSet<>();

    FormulaEmptinessCheck(SchemaNormalizer model) {
        this.model = model;
        store = model.store();
    }

    boolean isEmpty(Formula formula) {
        if (formula.isTrue() || formula.isFalse()) {
            return formula.isFalse();
        }
        store.budget().spend(1);
        Boolean answer = known.get(formula);
        if (answer != null) {
            return answer;
        }
        if (open.size() > MOST_DEPTH || model.isDeep() || !open.add(formula)) {
            return false;
        }
        try {
            boolean empty = isEmpty(model.normal(formula));
            known.put(formula, empty);
            return empty;
        } catch (SchemaNormalizer.OpenException e) {
            return false;
        } finally {
            open.remove(formula);
        }
    }

    boolean isEmpty(NormalForm normal) {
        return !normal.isNull()
                && !normal.isTrue()
                && !normal.isFalse()
                && !store.isAlive(normal.numbers().plain())
                && !store.isAlive(normal.strings().outer())
                && normal.arrays().stream().allMatch(this::isEmpty)
                && normal.objects().stream().allMatch(this::isEmpty);
    }

    boolean isEmpty(ArraySpec spec) {
        if (spec.least() > spec.most()) {
            return true;
        }
        for (int i = 0; i < Math.min(spec.least(), spec.prefix().size()); i++) {
            if (isEmpty(spec.prefix().get(i))) {
                return true;
            }
        }
        return spec.least() > spec.prefix().size() && isEmpty(spec.rest())
                || spec.contains().stream().anyMatch(each -> cannotContain(spec, each));
    }

    private boolean cannotContain(ArraySpec spec, ArraySpec.Containing containing) {
        if (containing.least() == 0) {
            return false;
        }
        if (containing.least() > containing.most()
                || (long) containing.from() + containing.least() > spec.most()) {
            return true;
        }
        FormulaStore formulas = model.formulas();
        for (int i = containing.from(); i <= spec.prefix().size() && i < spec.most(); i++) {
            if (!isEmpty(formulas.all(spec.item(i), containing.item()))) {
                return false;
            }
        }
        return containing.from() <= spec.prefix().size()
                || isEmpty(formulas.all(spec.rest(), containing.item()));
    }

    boolean isEmpty(ObjectSpec spec) {
        if (spec.least() > spec.most() || spec.required().size() > spec.most()) {
            return true;
        }
        ObjectAlgebra objects = model.objects();
        for (String name : spec.required()) {
            if (isEmpty(objects.value(spec, name))) {
                return true;
            }
        }
        return spec.witnesses().stream().anyMatch(each -> cannotHave(spec, each))
                || (spec.least() > spec.required().size() && hasTooFew(spec));
    }

    private boolean cannotHave(ObjectSpec spec, PropertyRule witness) {
        ObjectAlgebra objects = model.objects();
        FormulaStore formulas = model.formulas();
        for (String name : spec.declared()) {
            if (witness.appliesTo(name, model.strings())
                    && !isEmpty(formulas.all(objects.value(spec, name), witness.value()))) {
                return false;
            }
        }
        int number = spec.witnesses().indexOf(witness);
        return objects.classes(spec).stream()
                .filter(each -> each.witnesses().contains(number))
                .allMatch(each -> isEmpty(formulas.all(each.value(), witness.value())));
    }

    private boolean hasTooFew(ObjectSpec spec) {
        ObjectAlgebra objects = model.objects();
        long possible =
                spec.declared().stream()
                        .filter(name -> !isEmpty(objects.value(spec, name)))
                        .count();
        return possible < spec.least() && objects.classes(spec).isEmpty();
    }
}
