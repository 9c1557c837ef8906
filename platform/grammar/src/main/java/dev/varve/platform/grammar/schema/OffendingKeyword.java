package dev.varve.platform.grammar.schema;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Finds the keyword to name in a rejection. Some errors appear only when the constraints of several
 * schemas on a value are combined: then the nearest of these schemas that has such a keyword is
 * named.
 */
final class OffendingKeyword {
    private static final int MOST_SCHEMAS = 1000;

    private final Set<Subschema> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Subschema> open = new ArrayDeque<>();

    private OffendingKeyword() {}

    /**
     * JSON pointer of the first of some keywords in the schemas of a formula; of the schema itself
     * if none has any.
     */
    static String path(Formula formula, List<String> keywords) {
        OffendingKeyword culprit = new OffendingKeyword();
        culprit.addSites(formula);
        return keywords.isEmpty() ? formula.path() : culprit.search(formula.path(), keywords);
    }

    private void addSites(Formula formula) {
        if (formula.subject instanceof Subschema site) {
            add(site);
        }
        for (Formula part : formula.parts) {
            addSites(part);
        }
    }

    private void add(Subschema site) {
        if (seen.size() < MOST_SCHEMAS && seen.add(site)) {
            open.add(site);
        }
    }

    private String search(String otherwise, List<String> keywords) {
        while (!open.isEmpty()) {
            Subschema site = open.remove();
            for (String keyword : keywords) {
                if (site.has(keyword)) {
                    return site.path() + "/" + keyword;
                }
            }
            within(site).forEach(this::add);
        }
        return otherwise;
    }

    /** The schemas that apply to the same value. */
    private static List<Subschema> within(Subschema site) {
        List<Subschema> all = new ArrayList<>();
        for (String keyword : new String[] {"allOf", "anyOf", "oneOf"}) {
            if (site.has(keyword)) {
                all.addAll(site.schemas(keyword));
            }
        }
        for (String keyword : new String[] {"if", "then", "else", "not"}) {
            if (site.has(keyword)) {
                all.add(site.schema(keyword));
            }
        }
        if (site.has("$ref")) {
            all.add(site.document().resolve(site, "$ref"));
        }
        return all;
    }
}
