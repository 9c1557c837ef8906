package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.schema.NameClasses.NameClass;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Intersection and complement of sets of objects, and the constraints of their properties. */
final class ObjectAlgebra {
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int MOST_CLASSES = 64;

    /** Keywords that may require certain values of properties, whatever their names. */
    static final String[] EXCLUDING = {"not", "oneOf", "if", "patternProperties"};

    private final SchemaNormalizer model;
    private final RegexStore store;
    private final FormulaStore formulas;
    private final Map<ObjectSpec, List<NameClass>> classes = new HashMap<>();

    ObjectAlgebra(SchemaNormalizer model) {
        this.model = model;
        store = model.store();
        formulas = model.formulas();
    }

    /** The set of one object. */
    ObjectSpec constant(JsonNode value) {
        Map<String, Formula> named = new LinkedHashMap<>();
        value.properties()
                .forEach(
                        entry ->
                                named.put(
                                        entry.getKey(),
                                        formulas.constant(new Constant(entry.getValue()))));
        PropertyRule closed =
                new PropertyRule(named.keySet(), store.anything(), formulas.nothing());
        return ObjectSpec.ANY
                .withNamed(named)
                .withRequired(named.keySet())
                .withRules(List.of(closed));
    }

    /** The intersection. */
    ObjectSpec and(ObjectSpec a, ObjectSpec b) {
        Map<String, Formula> named = new LinkedHashMap<>(a.named());
        b.named().forEach((name, value) -> named.merge(name, value, formulas::all));
        store.budget().spend(named.size());
        return new ObjectSpec(
                named,
                both(a.required(), b.required()),
                List.copyOf(both(a.rules(), b.rules())),
                List.copyOf(both(a.witnesses(), b.witnesses())),
                Math.max(a.least(), b.least()),
                Math.min(a.most(), b.most()),
                a.evaluated().or(b.evaluated()));
    }

    /**
     * Returns whether a quick check proves that no object is in both: one requires a property that
     * the other forbids, or requires as another constant. This holds for most alternatives in
     * practice; false proves nothing.
     */
    boolean areApart(ObjectSpec a, ObjectSpec b) {
        return demandsWhatIsNot(a, b) || demandsWhatIsNot(b, a);
    }

    private boolean demandsWhatIsNot(ObjectSpec a, ObjectSpec b) {
        for (String name : a.required()) {
            Formula mine = a.named().getOrDefault(name, formulas.everything());
            Formula other = b.named().get(name);
            if (other == null ? isClosed(b, name) : other.isFalse() || areConstants(mine, other)) {
                return true;
            }
        }
        return false;
    }

    private boolean isClosed(ObjectSpec spec, String name) {
        return spec.rules().stream()
                .anyMatch(
                        rule ->
                                rule.value().isFalse()
                                        && rule.names() == store.anything()
                                        && !rule.except().contains(name));
    }

    /** Equal constants are one formula. */
    private static boolean areConstants(Formula a, Formula b) {
        return a != b && a.kind == Formula.Kind.CONSTANT && b.kind == Formula.Kind.CONSTANT;
    }

    private static <T> Set<T> both(Collection<T> a, Collection<T> b) {
        Set<T> all = new LinkedHashSet<>(a);
        all.addAll(b);
        return all;
    }

    /** The complement, as alternatives that may overlap. */
    List<ObjectSpec> not(ObjectSpec spec) {
        List<ObjectSpec> all = new ArrayList<>();
        for (String name : spec.required()) {
            all.add(ObjectSpec.ANY.withNamed(Map.of(name, formulas.nothing())));
        }
        spec.named()
                .forEach(
                        (name, value) -> {
                            if (!value.isTrue()) {
                                all.add(having(name, formulas.not(value)));
                            }
                        });
        for (PropertyRule rule : spec.rules()) {
            if (!rule.value().isTrue()) {
                PropertyRule witness = rule.with(formulas.not(rule.value()));
                all.add(ObjectSpec.ANY.withWitnesses(List.of(witness)));
            }
        }
        for (PropertyRule witness : spec.witnesses()) {
            PropertyRule none = witness.with(formulas.not(witness.value()));
            all.add(ObjectSpec.ANY.withRules(List.of(none)));
        }
        if (spec.least() > 0) {
            all.add(ObjectSpec.ANY.withCount(0, spec.least() - 1));
        }
        if (spec.most() < UNLIMITED) {
            all.add(ObjectSpec.ANY.withCount(spec.most() + 1, UNLIMITED));
        }
        return all;
    }

    private static ObjectSpec having(String name, Formula value) {
        return ObjectSpec.ANY.withNamed(Map.of(name, value)).withRequired(Set.of(name));
    }

    /** The constraint of the value of a property. */
    Formula value(ObjectSpec spec, String name) {
        store.budget().spend(1L + spec.rules().size());
        List<Formula> all = new ArrayList<>();
        all.add(spec.named().getOrDefault(name, formulas.everything()));
        for (PropertyRule rule : spec.rules()) {
            if (rule.appliesTo(name, model.strings())) {
                all.add(rule.value());
            }
        }
        return formulas.all(all);
    }

    /** The permitted undeclared names, each in one class. */
    List<NameClass> classes(ObjectSpec spec) {
        List<NameClass> known = classes.get(spec);
        if (known == null) {
            known = findClasses(spec);
            classes.put(spec, known);
        }
        return known;
    }

    private List<NameClass> findClasses(ObjectSpec spec) {
        Regex declared =
                store.oneOf(spec.declared().stream().map(CanonicalLiterals::escaped).toList());
        Regex undeclared = store.and(model.strings().all(), store.not(declared));
        NameClasses all =
                new NameClasses(
                        store,
                        spec.declared().isEmpty() ? model.strings().all() : undeclared,
                        formulas.everything());
        for (PropertyRule rule : spec.rules()) {
            all.divide(
                    rule.names(), each -> each.withValue(formulas.all(each.value(), rule.value())));
        }
        for (int i = 0; i < spec.witnesses().size(); i++) {
            int number = i;
            all.divide(spec.witnesses().get(i).names(), each -> each.withWitness(number));
        }
        return all.all().stream().filter(each -> !model.emptiness().isEmpty(each.value())).toList();
    }

    /**
     * Alternatives that together equal a spec with witnesses, each only with witnesses that are
     * undeclared properties.
     */
    List<ObjectSpec> resolve(ObjectSpec spec) {
        if (spec.witnesses().isEmpty()) {
            return List.of(spec);
        }
        List<ObjectSpec> all = new ArrayList<>();
        // Names that the spec declares stay declared, so that a further witness is another
        // property.
        Set<String> declared = spec.declared();
        Map<String, Formula> named = new LinkedHashMap<>();
        declared.forEach(
                name -> named.put(name, spec.named().getOrDefault(name, formulas.everything())));
        resolve(spec.withNamed(named).withWitnesses(List.of()), spec.witnesses(), declared, all);
        return all;
    }

    private void resolve(
            ObjectSpec spec, List<PropertyRule> open, Set<String> declared, List<ObjectSpec> into) {
        if (open.isEmpty()) {
            into.add(spec);
            if (into.size() > MOST_CLASSES) {
                throw new InexactException(
                        "requires too many combinations of properties", EXCLUDING);
            }
            return;
        }
        PropertyRule witness = open.getFirst();
        List<PropertyRule> rest = open.subList(1, open.size());
        for (String name : declared) {
            if (witness.appliesTo(name, model.strings())) {
                ObjectSpec with = and(spec, having(name, witness.value()));
                if (!model.emptiness().isEmpty(with)) {
                    resolve(with, rest, declared, into);
                }
            }
        }
        List<PropertyRule> further = new ArrayList<>(spec.witnesses());
        further.add(witness);
        ObjectSpec undeclared = spec.withWitnesses(further);
        if (!model.emptiness().isEmpty(undeclared)
                && classes(undeclared).stream()
                        .anyMatch(each -> each.witnesses().contains(further.size() - 1))) {
            resolve(undeclared, rest, declared, into);
        }
    }
}
