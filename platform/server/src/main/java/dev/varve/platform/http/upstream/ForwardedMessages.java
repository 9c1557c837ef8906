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
 * The messages of a body, and what compression sees of them. Nothing but texts is ever changed in
 * them.
 *
 * @param nodes as they are sent on
 * @param plain the same as maps, with the roles that compression knows
 */
record ForwardedMessages(List<ObjectNode> nodes, List<Map<String, Object>> plain) {
    private static final String ROLE = "role";
    private static final String CONTENT = "content";

    /** In the place of a text of which nothing stays: some servers refuse empty ones. */
    private static final String NOTHING_LEFT = "…";

    /**
     * Reads them; empty if they are not what messages are, which is for the other server to say.
     */
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

    /** Takes over the texts that became shorter. */
    void shorten(List<Map<String, Object>> shorter) {
        for (int i = 0; i < nodes.size(); i++) {
            PromptMessage before = new PromptMessage(plain.get(i));
            PromptMessage after = new PromptMessage(shorter.get(i));
            if (!after.text().equals(before.text())) {
                PromptMessage left = after.text().isEmpty() ? before.withText(NOTHING_LEFT) : after;
                nodes.get(i).set(CONTENT, Json.exact(left.fields().get(CONTENT)));
            }
        }
    }
}
