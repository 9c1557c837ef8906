package dev.varve.platform.http.openai;

import dev.varve.platform.chat.AnswerText;
import dev.varve.platform.chat.CallDelta;
import dev.varve.platform.http.conversation.CallId;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/** Puts the pieces of an answer together. */
final class CollectedMessage {
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final List<String> names = new ArrayList<>();
    private final List<StringBuilder> arguments = new ArrayList<>();

    void add(AnswerText.Piece piece) {
        reasoning.append(piece.reasoning());
        content.append(piece.content());
        for (CallDelta delta : piece.calls()) {
            delta.name()
                    .ifPresent(
                            name -> {
                                names.add(name);
                                arguments.add(new StringBuilder());
                            });
            arguments.get(delta.index()).append(delta.arguments());
        }
    }

    /** The message as chat completions have it. */
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
                ObjectNode each = calls.addObject();
                each.put("id", CallId.next());
                each.put("type", "function");
                each.putObject("function")
                        .put("name", names.get(call))
                        .put("arguments", arguments.get(call).toString());
            }
        }
        return message;
    }
}
