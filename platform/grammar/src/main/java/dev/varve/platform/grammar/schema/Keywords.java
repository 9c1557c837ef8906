package dev.varve.platform.grammar.schema;

import tools.jackson.databind.JsonNode;

import java.util.Set;
import java.util.stream.Stream;

/** The known keywords. */
final class Keywords {
    /** Keywords that forbid values. */
    private static final Set<String> CONSTRAINTS =
            Set.of(
                    "$dynamicRef",
                    "$recursiveRef",
                    "$ref",
                    "additionalItems",
                    "additionalProperties",
                    "allOf",
                    "anyOf",
                    "const",
                    "contains",
                    "dependencies",
                    "dependentRequired",
                    "dependentSchemas",
                    "enum",
                    "exclusiveMaximum",
                    "exclusiveMinimum",
                    "format",
                    "if",
                    "items",
                    "maxItems",
                    "maxLength",
                    "maxProperties",
                    "maximum",
                    "minItems",
                    "minLength",
                    "minProperties",
                    "minimum",
                    "multipleOf",
                    "not",
                    "oneOf",
                    "pattern",
                    "patternProperties",
                    "prefixItems",
                    "properties",
                    "propertyNames",
                    "required",
                    "type",
                    "unevaluatedItems",
                    "unevaluatedProperties",
                    "uniqueItems");

    /** Keywords whose value is a schema or an array of schemas. */
    private static final Set<String> SCHEMAS =
            Set.of(
                    "additionalItems",
                    "additionalProperties",
                    "allOf",
                    "anyOf",
                    "contains",
                    "contentSchema",
                    "else",
                    "if",
                    "items",
                    "not",
                    "oneOf",
                    "prefixItems",
                    "propertyNames",
                    "then",
                    "unevaluatedItems",
                    "unevaluatedProperties");

    /** Keywords whose value is an object of schemas. */
    private static final Set<String> MAPS =
            Set.of(
                    "$defs",
                    "definitions",
                    "dependencies",
                    "dependentSchemas",
                    "patternProperties",
                    "properties");

    private Keywords() {}

    static Stream<String> constraintsOf(JsonNode schema) {
        return schema.propertyNames().stream().filter(CONSTRAINTS::contains);
    }

    static boolean holdsSchemas(String keyword) {
        return SCHEMAS.contains(keyword);
    }

    static boolean holdsMap(String keyword) {
        return MAPS.contains(keyword);
    }
}
