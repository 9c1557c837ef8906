package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the keywords of objects. */
final class ObjectKeywordReader {
    private final SchemaNormalizer model;
    private final RegexStore store;
    private final ScalarKeywordReader scalars;

    ObjectKeywordReader(SchemaNormalizer model, ScalarKeywordReader scalars) {
        this.model = model;
        this.scalars = scalars;
        store = model.store();
    }

    /**
     * Reads the constraints on objects.
     *
     * @param tracks whether to record which properties they evaluate
     */
    ObjectSpec read(Subschema site, boolean tracks) {
        FormulaStore formulas = model.formulas();
        Map<String, Formula> named = new LinkedHashMap<>();
        if (site.has("properties")) {
            for (String name : site.entries("properties").keySet()) {
                if (!CanonicalLiterals.isUnicode(name)) {
                    throw site.refuse("properties", "has a name with half of a surrogate pair");
                }
                named.put(name, formulas.of(site.entry("properties", name)));
            }
        }
        Map<String, Regex> patterns = patterns(site);
        List<PropertyRule> rules = new ArrayList<>();
        patterns.forEach(
                (pattern, names) -> {
                    Formula value = formulas.of(site.entry("patternProperties", pattern));
                    if (!value.isTrue()) {
                        rules.add(new PropertyRule(Set.of(), names, value));
                    }
                });
        if (site.has("additionalProperties")) {
            Formula value = formulas.of(site.schema("additionalProperties"));
            if (!value.isTrue()) {
                rules.add(new PropertyRule(named.keySet(), others(patterns.values()), value));
            }
        }
        if (site.has("propertyNames")) {
            addNames(site, rules);
        }
        Set<String> required = new LinkedHashSet<>(site.strings("required"));
        return ObjectSpec.ANY
                .withNamed(named)
                .withRules(rules)
                .withRequired(required)
                .withCount(
                        site.count("minProperties").orElse(0),
                        site.count("maxProperties").orElse(Integer.MAX_VALUE))
                .withEvaluated(
                        tracks
                                ? evaluated(site, named.keySet(), patterns.values())
                                : EvaluatedProperties.NONE);
    }

    private Map<String, Regex> patterns(Subschema site) {
        Map<String, Regex> patterns = new LinkedHashMap<>();
        if (site.has("patternProperties")) {
            for (String pattern : site.entries("patternProperties").keySet()) {
                patterns.put(pattern, scalars.search(site, "patternProperties", pattern));
            }
        }
        return patterns;
    }

    /** All names that match none of some expressions. */
    private Regex others(Iterable<Regex> patterns) {
        List<Regex> all = new ArrayList<>();
        patterns.forEach(all::add);
        return all.isEmpty() ? store.anything() : store.not(store.or(all));
    }

    private void addNames(Subschema site, List<PropertyRule> rules) {
        StringSet names = model.normal(model.formulas().of(site.schema("propertyNames"))).strings();
        if (!names.isEverything()) {
            rules.add(
                    new PropertyRule(
                            Set.of(), store.not(names.contents()), model.formulas().nothing()));
        }
    }

    private static EvaluatedProperties evaluated(
            Subschema site, Set<String> names, Iterable<Regex> patterns) {
        if (site.has("additionalProperties")) {
            return EvaluatedProperties.ALL;
        }
        Set<Regex> all = new LinkedHashSet<>();
        patterns.forEach(all::add);
        return new EvaluatedProperties(false, names, all);
    }

    /** Objects whose unevaluated properties meet {@code unevaluatedProperties}. */
    List<ObjectSpec> close(Subschema site, List<ObjectSpec> specs) {
        if (!site.has("unevaluatedProperties")) {
            return specs;
        }
        Formula value = model.formulas().of(site.schema("unevaluatedProperties"));
        return specs.stream()
                .map(spec -> close(spec, value))
                .filter(spec -> !model.emptiness().isEmpty(spec))
                .distinct()
                .toList();
    }

    private ObjectSpec close(ObjectSpec spec, Formula value) {
        if (spec.evaluated().all() || value.isTrue()) {
            return spec.withEvaluated(EvaluatedProperties.ALL);
        }
        List<PropertyRule> rules = new ArrayList<>(spec.rules());
        rules.add(
                new PropertyRule(
                        spec.evaluated().names(), others(spec.evaluated().patterns()), value));
        return spec.withRules(rules).withEvaluated(EvaluatedProperties.ALL);
    }
}
