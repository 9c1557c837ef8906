package dev.varve.platform.http;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The server's JSON: limits for reading, and plain Java values for templates. */
final class Json {
    private static final int MAX_DEPTH = 200;

    static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(MAX_DEPTH)
                                                    .maxStringLength(Integer.MAX_VALUE)
                                                    .build())
                                    .build())
                    .build();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Parses a request body, which must be an object. */
    static ObjectNode parse(byte[] body) {
        JsonNode node;
        try {
            node = MAPPER.readTree(body);
        } catch (JacksonException e) {
            String where =
                    e.getLocation() == null
                            ? ""
                            : " at line "
                                    + e.getLocation().getLineNr()
                                    + ", column "
                                    + e.getLocation().getColumnNr();
            throw ApiException.invalid("", "the request body is not valid JSON" + where);
        }
        if (!(node instanceof ObjectNode object)) {
            throw ApiException.invalid("", "the request body must be a JSON object");
        }
        return object;
    }

    static String write(JsonNode node) {
        return MAPPER.writeValueAsString(node);
    }

    /** Maps, lists, strings, numbers, booleans and null, as templates take them. */
    static Object plain(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, Object> map = new LinkedHashMap<>();
                node.properties()
                        .forEach(entry -> map.put(entry.getKey(), plain(entry.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                node.forEach(element -> list.add(plain(element)));
                yield list;
            }
            case STRING -> node.stringValue();
            case NUMBER ->
                    node.isIntegralNumber()
                            ? (node.canConvertToLong()
                                    ? (Object) node.longValue()
                                    : node.bigIntegerValue())
                            : (Object) node.doubleValue();
            case BOOLEAN -> node.booleanValue();
            default -> null;
        };
    }
}
