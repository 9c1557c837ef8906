package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** The supported editions of JSON Schema. */
enum SchemaEdition {
    DRAFT_4("json-schema.org/draft-04/schema"),
    DRAFT_6("json-schema.org/draft-06/schema"),
    DRAFT_7("json-schema.org/draft-07/schema"),
    DRAFT_2019("json-schema.org/draft/2019-09/schema"),

    /** Also the default for schemas that declare no edition. */
    DRAFT_2020("json-schema.org/draft/2020-12/schema");

    /** URIs of the current edition without a version. */
    private static final List<String> UNVERSIONED =
            List.of("json-schema.org/schema", "json-schema.org/draft/schema");

    private final String name;

    SchemaEdition(String name) {
        this.name = name;
    }

    /** The edition of a whole schema. */
    static SchemaEdition of(JsonNode schema) {
        JsonNode value = schema.get("$schema");
        return value == null ? DRAFT_2020 : parse(value, "/$schema");
    }

    static SchemaEdition parse(JsonNode value, String path) {
        if (!value.isString()) {
            throw new GrammarException(path, "expected a URI");
        }
        String uri = value.stringValue().replaceFirst("^https?://", "").replaceFirst("#$", "");
        for (SchemaEdition each : values()) {
            if (each.name.equals(uri)) {
                return each;
            }
        }
        if (uri.isEmpty() || UNVERSIONED.contains(uri)) {
            return DRAFT_2020;
        }
        throw new GrammarException(
                path,
                "expected a schema of JSON Schema draft 4, 6, 7, 2019-09 or 2020-12, found "
                        + value.stringValue());
    }

    /** The keyword that names a schema. */
    String idKeyword() {
        return this == DRAFT_4 ? "id" : "$id";
    }
}
