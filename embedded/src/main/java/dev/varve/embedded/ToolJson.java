package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ToolDeclaration;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts tools and their arguments between JSON texts, templates and the platform. */
final class ToolJson {
    static final JsonMapper MAPPER = JsonMapper.builder().build();

    private ToolJson() {}

    /**
     * Parses a JSON text of the program.
     *
     * @param field name of the field, for the message
     * @throws VarveException of kind INVALID_REQUEST if it is no JSON
     */
    static JsonNode parse(String field, String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    field + ": expected a JSON text, found " + e.getOriginalMessage(),
                    e);
        }
    }

    /** Returns the declaration of a tool for the parser of responses. */
    static ToolDeclaration declaration(Tool tool) {
        String field = "tool " + tool.name();
        JsonNode parameters = parse(field, tool.parameters());
        if (!parameters.isObject()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    field + ": expected a schema that is a JSON object");
        }
        return new ToolDeclaration(tool.name(), parameters, tool.strict());
    }

    /** Returns a tool in the form that templates expect. */
    static Map<String, Object> forTemplate(Tool tool) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put("name", tool.name());
        function.put("description", tool.description());
        function.put("parameters", plain(parse("tool " + tool.name(), tool.parameters())));
        return Map.of("type", "function", "function", function);
    }

    /**
     * Returns an earlier call in the form that templates expect: its arguments are a map, since
     * templates iterate over them.
     */
    static Map<String, Object> forTemplate(ToolCall call) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put("name", call.name());
        function.put("arguments", object(call.arguments()).orElse(Map.of()));
        return Map.of("id", call.id(), "type", "function", "function", function);
    }

    /**
     * Returns an object as a map; empty if the text is no object, as of a call that was cut off.
     */
    private static Optional<Object> object(String json) {
        try {
            return Optional.of(MAPPER.readTree(json))
                    .filter(JsonNode::isObject)
                    .map(ToolJson::plain);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** Returns maps, lists, texts, numbers and booleans. */
    private static Object plain(JsonNode node) {
        return node.isArray()
                ? MAPPER.treeToValue(node, List.class)
                : MAPPER.treeToValue(node, Object.class);
    }
}
