package dev.varve.platform.http.openai;

import dev.varve.platform.chat.CollectedCalls;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.http.conversation.CustomTool;
import dev.varve.platform.http.conversation.ToolCallId;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Set;

/** Collects the pieces of a response into a message. */
final class MessageCollector {
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final CollectedCalls calls = new CollectedCalls();
    private final Set<String> custom;

    /** Makes a collector; {@code custom} has the names of the free-text tools. */
    MessageCollector(Set<String> custom) {
        this.custom = Set.copyOf(custom);
    }

    void add(ResponseParser.Piece piece) {
        reasoning.append(piece.reasoning());
        content.append(piece.content());
        calls.add(piece.calls());
    }

    /** Returns the message in the form of chat completions. */
    ObjectNode json() {
        ObjectNode message = Json.object();
        message.put("role", "assistant");
        if (content.isEmpty() && !calls.calls().isEmpty()) {
            message.putNull("content");
        } else {
            message.put("content", content.toString());
        }
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning.toString())
                    .put("reasoning", reasoning.toString());
        }
        if (!calls.calls().isEmpty()) {
            ArrayNode array = message.putArray("tool_calls");
            for (CollectedCalls.Call call : calls.calls()) {
                putCall(call.name(), call.arguments().toString(), array.addObject(), custom);
            }
        }
        return message;
    }

    /** Adds the fields of a tool call; {@code custom} has the names of the free-text tools. */
    static void putCall(String name, String given, ObjectNode call, Set<String> custom) {
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
