package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.conversation.ToolArgumentsParser;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Builds content blocks from their events, as clients of a stream do. */
final class ContentBlockCollector {
    private final ArrayNode blocks = Json.MAPPER.createArrayNode();
    private final StringBuilder text = new StringBuilder();

    void add(List<StreamEvent> events) {
        for (StreamEvent event : events) {
            if (event instanceof StreamEvent.Named(String name, ObjectNode data)) {
                add(name, data);
            }
        }
    }

    private void add(String name, ObjectNode data) {
        switch (name) {
            case "content_block_start" -> blocks.add(data.get("content_block"));
            case "content_block_delta" -> text.append(part(data.get("delta")));
            case "content_block_stop" -> close((ObjectNode) blocks.get(blocks.size() - 1));
            default ->
                    throw new IllegalStateException(
                            "expected a content block event, found " + name);
        }
    }

    private static String part(JsonNode delta) {
        return switch (delta.get("type").stringValue()) {
            case "text_delta" -> delta.get("text").stringValue();
            case "thinking_delta" -> delta.get("thinking").stringValue();
            case "input_json_delta" -> delta.get("partial_json").stringValue();
            default -> "";
        };
    }

    private void close(ObjectNode block) {
        switch (block.get("type").stringValue()) {
            case "tool_use" ->
                    block.set(
                            "input",
                            ToolArgumentsParser.read(text.toString()).orElseGet(Json::object));
            case "thinking" -> block.put("thinking", text.toString());
            default -> block.put("text", text.toString());
        }
        text.setLength(0);
    }

    ArrayNode blocks() {
        return blocks;
    }
}
