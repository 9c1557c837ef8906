package dev.varve.platform.http;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Brings messages into the form that chat templates expect. */
final class ChatMessages {
    private static final List<String> ROLES =
            List.of("system", "developer", "user", "assistant", "tool", "function");

    private ChatMessages() {}

    static List<Object> read(JsonNode messages) {
        if (!messages.isArray() || messages.isEmpty()) {
            throw ApiException.invalid("messages", "messages: expected a non-empty array");
        }
        List<Object> read = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            String where = "messages[" + i + "]";
            if (!(messages.get(i) instanceof ObjectNode message)) {
                throw ApiException.invalid(where, where + ": expected an object");
            }
            read.add(message(where, message));
        }
        return read;
    }

    private static Map<String, Object> message(String where, ObjectNode message) {
        Map<String, Object> read = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : message.properties()) {
            if (!entry.getValue().isNull()) {
                read.put(entry.getKey(), Json.plain(entry.getValue()));
            }
        }
        String role = message.path("role").isString() ? message.get("role").stringValue() : "";
        if (!ROLES.contains(role)) {
            throw ApiException.invalid(where + ".role", where + ".role: expected one of " + ROLES);
        }
        read.put(
                "role",
                role.equals("developer") ? "system" : role.equals("function") ? "tool" : role);
        read.put("content", content(where + ".content", message.path("content")));
        if (message.path("tool_calls").isArray()) {
            read.put("tool_calls", toolCalls(where + ".tool_calls", message.get("tool_calls")));
        }
        return read;
    }

    private static String content(String where, JsonNode content) {
        if (content.isMissingNode() || content.isNull()) {
            return "";
        }
        if (content.isString()) {
            return content.stringValue();
        }
        if (!content.isArray()) {
            throw ApiException.invalid(where, where + ": expected a string or an array of parts");
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : content) {
            if (part.isString()) {
                text.append(part.stringValue());
            } else {
                text.append(part(where, part));
            }
        }
        return text.toString();
    }

    private static String part(String where, JsonNode part) {
        String type = part.path("type").isString() ? part.get("type").stringValue() : "";
        String field =
                switch (type) {
                    case "text", "input_text", "output_text" -> "text";
                    case "refusal" -> "refusal";
                    default ->
                            throw ApiException.invalid(
                                    where,
                                    where
                                            + ": parts of type '"
                                            + (type.length() > 40 ? "…" : type)
                                            + "' are not supported by this model; expected text");
                };
        if (!part.path(field).isString()) {
            throw ApiException.invalid(
                    where, where + ": expected a string in the " + field + " of each part");
        }
        return part.get(field).stringValue();
    }

    /**
     * Templates iterate over the arguments, so the JSON text that clients send becomes an object.
     */
    private static List<Object> toolCalls(String where, JsonNode calls) {
        List<Object> read = new ArrayList<>();
        for (JsonNode call : calls) {
            if (!(call instanceof ObjectNode object)) {
                throw ApiException.invalid(where, where + ": expected objects");
            }
            ObjectNode copy = object.deepCopy();
            if (copy.path("function") instanceof ObjectNode function
                    && function.path("arguments").isString()) {
                function.set(
                        "arguments", arguments(where, function.get("arguments").stringValue()));
            }
            read.add(Json.plain(copy));
        }
        return read;
    }

    private static JsonNode arguments(String where, String text) {
        try {
            JsonNode parsed = text.isBlank() ? Json.object() : Json.MAPPER.readTree(text);
            if (parsed instanceof ObjectNode) {
                return parsed;
            }
        } catch (JacksonException e) {
            // Answered below like any other text that is no object.
        }
        throw ApiException.invalid(where, where + ": expected arguments that are a JSON object");
    }
}
