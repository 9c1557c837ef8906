package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.pattern.TextRegex;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Finds the normal form of a schema from its keywords: here those that hold for all types. */
final class SchemaReader {
    /** Branches of which all combinations are looked at. */
    private static final int MOST_COMBINED = 6;

    private final Model model;
    private final ScalarReader scalars;
    private final ObjectReader objects;
    private final ArrayReader arrays;
    private final boolean tracks;

    SchemaReader(Model model, TextRegex text, SchemaOptions options) {
        this.model = model;
        tracks = model.tracksEvaluation();
        scalars = new ScalarReader(model, text, options);
        objects = new ObjectReader(model, scalars);
        arrays = new ArrayReader(model);
    }

    private Algebra algebra() {
        return model.algebra();
    }

    Normal read(Site site) {
        checkDialect(site);
        Normal normal = typed(site);
        normal = references(site, normal);
        normal = dependencies(site, normal);
        for (String keyword : new String[] {"allOf", "anyOf", "oneOf", "not", "if"}) {
            if (site.has(keyword)) {
                Normal before = normal;
                normal = exactly(site, keyword, () -> combine(site, keyword, before));
            }
        }
        if (!tracks) {
            return normal;
        }
        Normal all = normal;
        return normal.withArrays(
                        exactly(site, "unevaluatedItems", () -> arrays.close(site, all.arrays())))
                .withObjects(
                        exactly(
                                site,
                                "unevaluatedProperties",
                                () -> objects.close(site, all.objects())));
    }

    private static void checkDialect(Site site) {
        site.get("$schema")
                .filter(_ -> site.resource().path().equals(site.path()))
                .map(value -> Dialect.parse(value, site.path() + "/$schema"))
                .filter(dialect -> dialect != site.document().dialect())
                .ifPresent(
                        _ -> {
                            throw site.refuse(
                                    "$schema",
                                    "a schema within another one must be of the same draft");
                        });
    }

    private static <T> T exactly(Site site, String keyword, Supplier<T> find) {
        try {
            return find.get();
        } catch (InexactException e) {
            throw site.refuse(keyword, "cannot be enforced exactly: it " + e.getMessage());
        }
    }

    /** What the keywords say that speak of one type, and those that list values. */
    private Normal typed(Site site) {
        Normal normal = scalars.types(site);
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

    private Normal references(Site site, Normal normal) {
        Normal all = normal;
        for (String keyword : new String[] {"$ref", "$dynamicRef", "$recursiveRef"}) {
            if (site.has(keyword)) {
                Site goal = site.document().resolve(site, keyword);
                if (keyword.equals("$dynamicRef")
                                && !site.document()
                                        .isStatic(site.string(keyword).orElseThrow(), goal)
                        || keyword.equals("$recursiveRef") && goal.has("$recursiveAnchor")) {
                    throw site.refuse(
                            keyword, "depends on where it is come from, which is not supported");
                }
                Normal before = all;
                Normal target = model.normal(model.formulas().of(goal));
                all = exactly(site, keyword, () -> algebra().and(before, target));
            }
        }
        return all;
    }

    private Normal combine(Site site, String keyword, Normal normal) {
        return switch (keyword) {
            case "allOf" -> normals(site.schemas(keyword)).stream().reduce(normal, algebra()::and);
            case "anyOf" -> anyOf(normal, normals(site.schemas(keyword)));
            case "oneOf" -> oneOf(normal, normals(site.schemas(keyword)));
            case "not" -> algebra().minus(normal, normal(site.schema(keyword)));
            default -> condition(site, normal);
        };
    }

    private Normal normal(Site site) {
        return model.normal(model.formulas().of(site));
    }

    private List<Normal> normals(List<Site> sites) {
        return sites.stream().map(this::normal).toList();
    }

    private Normal anyOf(Normal normal, List<Normal> branches) {
        List<Normal> choices = tracks ? combinations(branches) : branches;
        return algebra().and(normal, algebra().any(choices));
    }

    /** Several branches at once evaluate more than each of them. */
    private List<Normal> combinations(List<Normal> branches) {
        if (branches.size() > MOST_COMBINED) {
            throw new InexactException(
                    "has more than " + MOST_COMBINED + " branches that evaluate properties");
        }
        List<Normal> all = new ArrayList<>();
        for (int chosen = 1; chosen < 1 << branches.size(); chosen++) {
            Normal both = algebra().everything();
            for (int i = 0; i < branches.size(); i++) {
                if ((chosen >> i & 1) != 0) {
                    both = algebra().and(both, branches.get(i));
                }
            }
            all.add(both);
        }
        return all;
    }

    private Normal oneOf(Normal normal, List<Normal> branches) {
        List<Normal> any = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            Normal one = algebra().and(normal, branches.get(i));
            for (int j = 0; j < branches.size(); j++) {
                if (j != i) {
                    one = algebra().minus(one, branches.get(j));
                }
            }
            any.add(one);
        }
        return algebra().any(any);
    }

    private Normal condition(Site site, Normal normal) {
        if (!site.has("then") && !site.has("else") && !tracks) {
            return normal;
        }
        Normal given = normal(site.schema("if"));
        Normal met = algebra().and(normal, given);
        Normal unmet = algebra().minus(normal, given);
        return algebra()
                .or(
                        site.has("then") ? algebra().and(met, normal(site.schema("then"))) : met,
                        site.has("else")
                                ? algebra().and(unmet, normal(site.schema("else")))
                                : unmet);
    }

    private Normal dependencies(Site site, Normal normal) {
        Normal all = normal;
        for (String keyword :
                new String[] {"dependentRequired", "dependentSchemas", "dependencies"}) {
            if (site.has(keyword)) {
                for (Map.Entry<String, JsonNode> entry : site.entries(keyword).entrySet()) {
                    if (!JsonText.isUnicode(entry.getKey())) {
                        throw site.refuse(keyword, "has half of a surrogate pair");
                    }
                    Normal before = all;
                    Normal demanded = demanded(site, keyword, entry);
                    all = exactly(site, keyword, () -> depending(before, entry.getKey(), demanded));
                }
            }
        }
        return all;
    }

    private Normal demanded(Site site, String keyword, Map.Entry<String, JsonNode> entry) {
        boolean names =
                keyword.equals("dependentRequired")
                        || keyword.equals("dependencies") && entry.getValue().isArray();
        return names
                ? having(Set.copyOf(site.strings(keyword, entry.getValue())))
                : normal(site.entry(keyword, entry.getKey()));
    }

    private Normal depending(Normal normal, String name, Normal demanded) {
        Normal absent = objects(ObjectSpec.ANY.withNamed(Map.of(name, model.formulas().nothing())));
        Normal present = algebra().and(having(Set.of(name)), demanded);
        return algebra().or(algebra().and(normal, absent), algebra().and(normal, present));
    }

    private Normal having(Set<String> names) {
        return objects(ObjectSpec.ANY.withRequired(names));
    }

    private Normal objects(ObjectSpec spec) {
        return algebra().everything().withObjects(List.of(spec));
    }
}
