package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;
import dev.varve.platform.http.conversation.CustomTool;
import dev.varve.platform.http.conversation.ToolCallId;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Collects the pieces of a response into a message. */
final class MessageCollector {
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final List<String> names = new ArrayList<>();
    private final List<StringBuilder> arguments = new ArrayList<>();
    private final Set<String> custom;

    /** Makes a collector; {@code custom} has the names of the free-text tools. */
    MessageCollector(Set<String> custom) {
        this.custom = Set.copyOf(custom);
    }

    void add(ResponseParser.Piece piece) {
        reasoning.append(piece.reasoning());
        content.append(piece.content());
        for (ToolCallDelta delta : piece.calls()) {
            delta.name()
                    .ifPresent(
                            name -> {
                                names.add(name);
                                arguments.add(new StringBuilder());
                            });
            arguments.get(delta.index()).append(delta.arguments());
        }
    }

    /** Returns the message in the form of chat completions. */
    ObjectNode json() {
        ObjectNode message = Json.object();
        message.put("role", "assistant");
        if (content.isEmpty() && !names.isEmpty()) {
            message.putNull("content");
        } else {
            message.put("content", content.toString());
        }
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning.toString())
                    .put("reasoning", reasoning.toString());
        }
        if (!names.isEmpty()) {
            ArrayNode calls = message.putArray("tool_calls");
            for (int call = 0; call < names.size(); call++) {
                put(names.get(call), arguments.get(call).toString(), calls.addObject());
            }
        }
        return message;
    }

    private void put(String name, String given, ObjectNode call) {
        call.put("id", ToolCallId.next());
        if (custom.contains(name)) {
            call.put("type", "custom")
                    .putObject("custom")
                    .put("name", name)
                    .put("input", CustomTool.input(given));
        } else {
            call.put("type", "function")
                    .putObject("function")
                    .put("name", name)
                    .put("arguments", given);
        }
    }
}
