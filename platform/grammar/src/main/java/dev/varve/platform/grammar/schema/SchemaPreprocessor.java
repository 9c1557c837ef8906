package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.util.Map;

/**
 * Prepares a schema for compilation. Removes keywords that are {@code null}, since serializers
 * write absent ones so; the {@code null} of {@code const} is a value.
 */
final class SchemaPreprocessor {
    private static final String CONST = "const";

    private SchemaPreprocessor() {}

    /**
     * Returns the schema without them. The argument is not modified.
     *
     * @throws GrammarException if a number is beyond the range of a double
     */
    static JsonNode normal(JsonNode schema) {
        requireFinite("", schema);
        return schema(schema);
    }

    private static void requireFinite(String path, JsonNode node) {
        if (node.isDouble() && !Double.isFinite(node.doubleValue())
                || node.isFloat() && !Float.isFinite(node.floatValue())) {
            throw new GrammarException(path, "has a number beyond the range of a double");
        }
        node.properties()
                .forEach(
                        entry ->
                                requireFinite(
                                        path + "/" + Document.escape(entry.getKey()),
                                        entry.getValue()));
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            requireFinite(path + "/" + i, node.get(i));
        }
    }

    private static JsonNode schema(JsonNode node) {
        if (!node.isObject()) {
            return node;
        }
        ObjectNode normal = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            if (!entry.getValue().isNull() || entry.getKey().equals(CONST)) {
                normal.set(entry.getKey(), value(entry.getKey(), entry.getValue()));
            }
        }
        return normal;
    }

    private static JsonNode value(String keyword, JsonNode value) {
        if (Keywords.holdsSchemas(keyword)) {
            return value.isArray() ? schemas(value) : schema(value);
        }
        return Keywords.holdsMap(keyword) && value.isObject() ? entries(value) : value;
    }

    private static ArrayNode schemas(JsonNode array) {
        ArrayNode normal = JsonNodeFactory.instance.arrayNode();
        array.forEach(each -> normal.add(schema(each)));
        return normal;
    }

    private static ObjectNode entries(JsonNode map) {
        ObjectNode normal = JsonNodeFactory.instance.objectNode();
        map.properties().forEach(each -> normal.set(each.getKey(), schema(each.getValue())));
        return normal;
    }
}
