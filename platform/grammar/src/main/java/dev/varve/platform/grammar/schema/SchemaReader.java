package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.pattern.TextRegexBuilder;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Computes the normal form of a schema from its keywords; this class reads those of all types. */
final class SchemaReader {
    /** Maximum branches of which all combinations are computed. */
    private static final int MOST_COMBINED = 6;

    private final SchemaNormalizer model;
    private final ScalarKeywordReader scalars;
    private final ObjectKeywordReader objects;
    private final ArrayKeywordReader arrays;
    private final boolean tracks;

    SchemaReader(SchemaNormalizer model, TextRegexBuilder text, SchemaOptions options) {
        this.model = model;
        tracks = model.tracksEvaluation();
        scalars = new ScalarKeywordReader(model, text, options);
        objects = new ObjectKeywordReader(model, scalars);
        arrays = new ArrayKeywordReader(model);
    }

    private Algebra algebra() {
        return model.algebra();
    }

    NormalForm read(Subschema site) {
        checkDialect(site);
        NormalForm normal = typed(site);
        normal = references(site, normal);
        normal = dependencies(site, normal);
        for (String keyword : new String[] {"allOf", "anyOf", "oneOf", "not", "if"}) {
            if (site.has(keyword)) {
                NormalForm before = normal;
                normal = exactly(site, keyword, () -> combine(site, keyword, before));
            }
        }
        if (!tracks) {
            return normal;
        }
        NormalForm all = normal;
        return normal.withArrays(
                        exactly(site, "unevaluatedItems", () -> arrays.close(site, all.arrays())))
                .withObjects(
                        exactly(
                                site,
                                "unevaluatedProperties",
                                () -> objects.close(site, all.objects())));
    }

    private static void checkDialect(Subschema site) {
        site.get("$schema")
                .filter(_ -> site.resource().path().equals(site.path()))
                .map(value -> SchemaEdition.parse(value, site.path() + "/$schema"))
                .filter(dialect -> dialect != site.document().dialect())
                .ifPresent(
                        _ -> {
                            throw site.refuse(
                                    "$schema",
                                    "a schema within another one must be of the same draft");
                        });
    }

    private static <T> T exactly(Subschema site, String keyword, Supplier<T> find) {
        try {
            return find.get();
        } catch (InexactException e) {
            throw site.refuse(keyword, "cannot be enforced exactly: it " + e.getMessage());
        }
    }

    /** The constraints of keywords for single types, and of those that list values. */
    private NormalForm typed(Subschema site) {
        NormalForm normal = scalars.types(site);
        normal =
                normal.withNumbers(model.numbers().and(normal.numbers(), scalars.numbers(site)))
                        .withStrings(model.strings().and(normal.strings(), scalars.strings(site)));
        ArraySpec array = arrays.read(site, tracks);
        ObjectSpec object = exactly(site, "patternProperties", () -> objects.read(site, tracks));
        normal =
                normal.withArrays(normal.arrays().isEmpty() ? List.of() : possible(array))
                        .withObjects(normal.objects().isEmpty() ? List.of() : possible(object));
        return exactly(site, "enum", () -> scalars.values(site)).stream()
                .reduce(normal, algebra()::and);
    }

    private List<ArraySpec> possible(ArraySpec spec) {
        return model.emptiness().isEmpty(spec) ? List.of() : List.of(spec);
    }

    private List<ObjectSpec> possible(ObjectSpec spec) {
        return model.emptiness().isEmpty(spec) ? List.of() : List.of(spec);
    }

    private NormalForm references(Subschema site, NormalForm normal) {
        NormalForm all = normal;
        for (String keyword : new String[] {"$ref", "$dynamicRef", "$recursiveRef"}) {
            if (site.has(keyword)) {
                Subschema goal = site.document().resolve(site, keyword);
                if (keyword.equals("$dynamicRef")
                                && !site.document()
                                        .isStatic(site.string(keyword).orElseThrow(), goal)
                        || keyword.equals("$recursiveRef") && goal.has("$recursiveAnchor")) {
                    throw site.refuse(
                            keyword,
                            "depends on the schema that refers to it, which is not supported");
                }
                NormalForm before = all;
                NormalForm target = model.normal(model.formulas().of(goal));
                all = exactly(site, keyword, () -> algebra().and(before, target));
            }
        }
        return all;
    }

    private NormalForm combine(Subschema site, String keyword, NormalForm normal) {
        return switch (keyword) {
            case "allOf" -> normals(site.schemas(keyword)).stream().reduce(normal, algebra()::and);
            case "anyOf" -> anyOf(normal, normals(site.schemas(keyword)));
            case "oneOf" -> oneOf(normal, normals(site.schemas(keyword)));
            case "not" -> algebra().minus(normal, normal(site.schema(keyword)));
            default -> condition(site, normal);
        };
    }

    private NormalForm normal(Subschema site) {
        return model.normal(model.formulas().of(site));
    }

    private List<NormalForm> normals(List<Subschema> sites) {
        return sites.stream().map(this::normal).toList();
    }

    private NormalForm anyOf(NormalForm normal, List<NormalForm> branches) {
        List<NormalForm> choices = tracks ? combinations(branches) : branches;
        return algebra().and(normal, algebra().any(choices));
    }

    /** Several matching branches evaluate more parts than each of them. */
    private List<NormalForm> combinations(List<NormalForm> branches) {
        if (branches.size() > MOST_COMBINED) {
            throw new InexactException(
                    "has more than " + MOST_COMBINED + " branches that evaluate properties");
        }
        List<NormalForm> all = new ArrayList<>();
        for (int chosen = 1; chosen < 1 << branches.size(); chosen++) {
            NormalForm both = algebra().everything();
            for (int i = 0; i < branches.size(); i++) {
                if ((chosen >> i & 1) != 0) {
                    both = algebra().and(both, branches.get(i));
                }
            }
            all.add(both);
        }
        return all;
    }

    private NormalForm oneOf(NormalForm normal, List<NormalForm> branches) {
        List<NormalForm> any = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            NormalForm one = algebra().and(normal, branches.get(i));
            for (int j = 0; j < branches.size(); j++) {
                if (j != i) {
                    one = algebra().minus(one, branches.get(j));
                }
            }
            any.add(one);
        }
        return algebra().any(any);
    }

    private NormalForm condition(Subschema site, NormalForm normal) {
        if (!site.has("then") && !site.has("else") && !tracks) {
            return normal;
        }
        NormalForm given = normal(site.schema("if"));
        NormalForm met = algebra().and(normal, given);
        NormalForm unmet = algebra().minus(normal, given);
        return algebra()
                .or(
                        site.has("then") ? algebra().and(met, normal(site.schema("then"))) : met,
                        site.has("else")
                                ? algebra().and(unmet, normal(site.schema("else")))
                                : unmet);
    }

    private NormalForm dependencies(Subschema site, NormalForm normal) {
        NormalForm all = normal;
        for (String keyword :
                new String[] {"dependentRequired", "dependentSchemas", "dependencies"}) {
            if (site.has(keyword)) {
                for (Map.Entry<String, JsonNode> entry : site.entries(keyword).entrySet()) {
                    if (!CanonicalLiterals.isUnicode(entry.getKey())) {
                        throw site.refuse(keyword, "has half of a surrogate pair");
                    }
                    NormalForm before = all;
                    NormalForm demanded = demanded(site, keyword, entry);
                    all = exactly(site, keyword, () -> depending(before, entry.getKey(), demanded));
                }
            }
        }
        return all;
    }

    private NormalForm demanded(Subschema site, String keyword, Map.Entry<String, JsonNode> entry) {
        boolean names =
                keyword.equals("dependentRequired")
                        || keyword.equals("dependencies") && entry.getValue().isArray();
        return names
                ? having(Set.copyOf(site.strings(keyword, entry.getValue())))
                : normal(site.entry(keyword, entry.getKey()));
    }

    private NormalForm depending(NormalForm normal, String name, NormalForm demanded) {
        NormalForm absent =
                objects(ObjectSpec.ANY.withNamed(Map.of(name, model.formulas().nothing())));
        NormalForm present = algebra().and(having(Set.of(name)), demanded);
        return algebra().or(algebra().and(normal, absent), algebra().and(normal, present));
    }

    private NormalForm having(Set<String> names) {
        return objects(ObjectSpec.ANY.withRequired(names));
    }

    private NormalForm objects(ObjectSpec spec) {
        return algebra().everything().withObjects(List.of(spec));
    }
}
