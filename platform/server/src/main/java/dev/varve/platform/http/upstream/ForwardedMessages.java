package dev.varve.platform.http.upstream;

import dev.varve.platform.compression.PromptMessage;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The messages of a body, and their form for compression. Only their texts are ever changed.
 *
 * @param nodes messages as they are forwarded
 * @param plain the messages as maps, with the roles that compression uses
 */
record ForwardedMessages(List<ObjectNode> nodes, List<Map<String, Object>> plain) {
    private static final String ROLE = "role";
    private static final String CONTENT = "content";

    /** Replaces a text that was removed completely: some servers refuse empty texts. */
    private static final String EMPTY_TEXT = "…";

    /** Reads the messages; empty if they are malformed, which the upstream server then reports. */
    static Optional<ForwardedMessages> of(JsonNode messages) {
        if (!(messages instanceof ArrayNode array) || array.isEmpty()) {
            return Optional.empty();
        }
        List<ObjectNode> nodes = new ArrayList<>();
        List<Map<String, Object>> plain = new ArrayList<>();
        for (JsonNode each : array) {
            if (!(each instanceof ObjectNode node) || !node.path(ROLE).isString()) {
                return Optional.empty();
            }
            nodes.add(node);
            plain.add(plain(node));
        }
        return Optional.of(new ForwardedMessages(nodes, plain));
    }

    private static Map<String, Object> plain(ObjectNode node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            fields.put(field.getKey(), Json.plain(field.getValue()));
        }
        String role = node.get(ROLE).stringValue();
        fields.put(ROLE, role.equals("developer") ? "system" : role);
        return fields;
    }

    /** Replaces the texts that were compressed. */
    void shorten(List<Map<String, Object>> shorter) {
        for (int i = 0; i < nodes.size(); i++) {
            PromptMessage before = new PromptMessage(plain.get(i));
            PromptMessage after = new PromptMessage(shorter.get(i));
            if (!after.text().equals(before.text())) {
                PromptMessage left = after.text().isEmpty() ? before.withText(EMPTY_TEXT) : after;
                nodes.get(i).set(CONTENT, Json.exact(left.fields().get(CONTENT)));
            }
        }
    }
}
