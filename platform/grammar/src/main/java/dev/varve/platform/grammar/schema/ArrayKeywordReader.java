package dev.varve.platform.grammar.schema;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;

/** Reads the keywords of arrays. */
final class ArrayKeywordReader {
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int MOST_PREFIX = 2000;

    private final SchemaNormalizer model;

    ArrayKeywordReader(SchemaNormalizer model) {
        this.model = model;
    }

    /**
     * Reads the constraints on arrays.
     *
     * @param tracks whether to record which items they evaluate
     */
    ArraySpec read(Subschema site, boolean tracks) {
        ArraySpec any = model.algebra().arrays().any();
        boolean lists = site.get("items").filter(JsonNode::isArray).isPresent();
        String first = lists ? "items" : "prefixItems";
        String others = lists ? "additionalItems" : "items";
        if (lists && site.has("prefixItems")) {
            throw site.refuse("items", "expected a schema beside prefixItems");
        }
        List<Formula> prefix = new ArrayList<>();
        boolean none =
                site.get(first).filter(items -> items.isArray() && items.isEmpty()).isPresent();
        if (site.has(first) && !none) {
            site.schemas(first).forEach(item -> prefix.add(model.formulas().of(item)));
        }
        if (prefix.size() > MOST_PREFIX) {
            throw site.refuse(first, "has more than " + MOST_PREFIX + " items");
        }
        Formula rest = model.formulas().everything();
        if (site.has(others)) {
            rest = model.formulas().of(site.schema(others));
        }
        ArraySpec spec =
                any.withItems(prefix, rest)
                        .withCount(
                                site.count("minItems").orElse(0),
                                site.count("maxItems").orElse(UNLIMITED));
        spec = contains(site, spec);
        spec = site.flag("uniqueItems") ? spec.withUnique() : spec;
        return tracks ? evaluated(site, spec, others) : spec;
    }

    private ArraySpec contains(Subschema site, ArraySpec spec) {
        int least = site.count("minContains").orElse(1);
        int most = site.count("maxContains").orElse(UNLIMITED);
        if (!site.has("contains") || least == 0 && most == UNLIMITED) {
            return spec;
        }
        Formula item = model.formulas().of(site.schema("contains"));
        return spec.withContains(List.of(new ArraySpec.Containing(item, 0, least, most)))
                .withCount(Math.max(least, spec.least()), spec.most());
    }

    private ArraySpec evaluated(Subschema site, ArraySpec spec, String others) {
        return spec.withEvaluated(
                site.has(others) ? UNLIMITED : spec.prefix().size(),
                site.has("contains")
                        ? model.formulas().of(site.schema("contains"))
                        : model.formulas().nothing());
    }

    /** Arrays whose unevaluated items meet {@code unevaluatedItems}. */
    List<ArraySpec> close(Subschema site, List<ArraySpec> specs) {
        if (!site.has("unevaluatedItems")) {
            return specs;
        }
        Formula value = model.formulas().of(site.schema("unevaluatedItems"));
        return specs.stream()
                .map(spec -> close(spec, value))
                .filter(spec -> !model.emptiness().isEmpty(spec))
                .distinct()
                .toList();
    }

    private ArraySpec close(ArraySpec spec, Formula value) {
        FormulaStore formulas = model.formulas();
        if (spec.evaluated() == UNLIMITED) {
            return spec;
        }
        Formula further = formulas.any(value, spec.evaluatedToo());
        List<Formula> prefix = new ArrayList<>();
        for (int i = 0; i < Math.max(spec.prefix().size(), spec.evaluated()); i++) {
            prefix.add(i < spec.evaluated() ? spec.item(i) : formulas.all(spec.item(i), further));
        }
        return spec.withItems(prefix, formulas.all(spec.rest(), further))
                .withEvaluated(UNLIMITED, formulas.nothing());
    }
}
