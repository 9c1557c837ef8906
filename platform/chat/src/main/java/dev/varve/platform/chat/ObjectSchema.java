package dev.varve.platform.chat;

import dev.varve.platform.grammar.GrammarException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Schema of an object that only declares its properties.
 *
 * @param properties declared properties, in the schema's order
 * @param further schema of other properties; used only if none is declared
 */
record ObjectSchema(List<Property> properties, Optional<JsonNode> further) {
    private static final List<String> KEYWORDS =
            List.of(
                    "type",
                    "properties",
                    "required",
                    "additionalProperties",
                    "unevaluatedProperties",
                    "minProperties",
                    "maxProperties");

    /**
     * A property.
     *
     * @param path of its schema, for messages
     */
    record Property(String key, JsonNode schema, String path, boolean required) {}

    /**
     * Reads a schema.
     *
     * @param path path of the schema, for messages
     * @throws GrammarException if it has other keywords, or invalid ones
     */
    static ObjectSchema of(JsonNode root, JsonNode schema, String path) {
        JsonNode own = SubschemaGrammar.resolved(root, schema, path);
        SubschemaGrammar.requireOnly(own, KEYWORDS, path);
        JsonNode declared = own.path("properties");
        Set<String> required = new HashSet<>();
        own.path("required").forEach(name -> required.add(name.asString("")));
        List<Property> properties = new ArrayList<>();
        for (String key : declared.propertyNames()) {
            String place = path + "/properties/" + key.replace("~", "~0").replace("/", "~1");
            properties.add(new Property(key, declared.get(key), place, required.remove(key)));
        }
        JsonNode others = own.path("additionalProperties");
        boolean closed = others.isBoolean() && !others.booleanValue();
        if (!required.isEmpty()) {
            throw new GrammarException(path + "/required", "names a property that is not declared");
        }
        long needed = properties.stream().filter(Property::required).count();
        if (own.path("minProperties").asLong(0) > needed
                || own.path("maxProperties").asLong(Long.MAX_VALUE) < properties.size()) {
            throw new GrammarException(
                    path,
                    "the tool-call syntax of this model cannot enforce this minProperties or"
                            + " maxProperties");
        }
        return new ObjectSchema(
                List.copyOf(properties),
                closed || own.has("maxProperties")
                        ? Optional.empty()
                        : Optional.of(others.isObject() ? others : MissingNode.getInstance()));
    }

    /** Whether any property is allowed, since none is declared. */
    boolean isFree() {
        return properties.isEmpty() && further.isPresent();
    }
}
