package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Puts a message together from its stream, and fails where the order of events is wrong. */
final class MessagesStream {
    private ObjectNode message;
    private ObjectNode open;
    private final StringBuilder arguments = new StringBuilder();
    private boolean stopped;

    private MessagesStream() {}

    /** The message, as if it had not been streamed. */
    static ObjectNode read(String stream) {
        MessagesStream reader = new MessagesStream();
        String name = "";
        for (String line : stream.lines().toList()) {
            if (line.startsWith("event: ")) {
                name = line.substring(7);
            } else if (line.startsWith("data: ")) {
                JsonNode data = Json.MAPPER.readTree(line.substring(6));
                assertEquals(name, data.get("type").stringValue(), line);
                reader.take(name, data);
            } else {
                assertTrue(line.isEmpty() || line.startsWith(":"), line);
            }
        }
        assertTrue(reader.stopped, stream);
        return reader.message;
    }

    private ArrayNode content() {
        return (ArrayNode) message.get("content");
    }

    private void take(String name, JsonNode data) {
        assertFalse(stopped, name);
        if (!name.equals("message_start") && !name.equals("ping")) {
            assertNotNull(message, name);
        }
        switch (name) {
            case "message_start" -> {
                assertNull(message, "began twice");
                message = (ObjectNode) data.get("message").deepCopy();
                assertEquals(0, content().size());
            }
            case "ping" -> {
                // May come at any time.
            }
            case "content_block_start" -> {
                assertNull(open, "a block in a block");
                assertEquals(content().size(), data.get("index").intValue());
                open = (ObjectNode) data.get("content_block").deepCopy();
                content().add(open);
            }
            case "content_block_delta" -> {
                assertEquals(content().size() - 1, data.get("index").intValue());
                delta(data.get("delta"));
            }
            case "content_block_stop" -> {
                assertEquals(content().size() - 1, data.get("index").intValue());
                if (open.get("type").stringValue().equals("tool_use")) {
                    open.set(
                            "input",
                            Json.MAPPER.readTree(
                                    arguments.isEmpty() ? "{}" : arguments.toString()));
                    arguments.setLength(0);
                }
                open = null;
            }
            case "message_delta" -> {
                assertNull(open, "a block is open");
                message.setAll((ObjectNode) data.get("delta"));
                message.set("usage", data.get("usage"));
            }
            case "message_stop" -> stopped = true;
            default -> throw new AssertionError("unknown event " + name);
        }
    }

    private void delta(JsonNode delta) {
        switch (delta.get("type").stringValue()) {
            case "text_delta" -> append("text", delta.get("text").stringValue());
            case "thinking_delta" -> append("thinking", delta.get("thinking").stringValue());
            case "signature_delta" -> append("signature", delta.get("signature").stringValue());
            case "input_json_delta" -> arguments.append(delta.get("partial_json").stringValue());
            default -> throw new AssertionError("unknown delta " + delta);
        }
    }

    private void append(String field, String text) {
        open.put(field, open.get(field).stringValue() + text);
    }
}
