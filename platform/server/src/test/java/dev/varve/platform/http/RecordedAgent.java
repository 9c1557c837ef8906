package dev.varve.platform.http;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A coding agent that wrote two lines into a file, and what it sent: its last request, in which the
 * words of others are replaced by as long ones without a meaning, and the name of the model by one
 * that it would send by itself.
 */
enum RecordedAgent {
    /** Claude Code 2.1.332, {@code claude -p}. */
    CLAUDE_CODE("/v1/messages?beta=true", "messages", "Write", "file_path") {
        @Override
        Optional<Call> call(String stream) {
            for (JsonNode block : MessagesStream.read(stream).get("content")) {
                if (block.get("type").stringValue().equals("tool_use")) {
                    return Optional.of(
                            new Call(block.get("name").stringValue(), block.get("input")));
                }
            }
            return Optional.empty();
        }
    },
    /** Codex 0.169.0, {@code codex exec}. */
    CODEX("/v1/responses", "input", "exec_command", "cmd") {
        @Override
        Optional<Call> call(String stream) {
            return ResponsesClient.items(ResponsesClient.ended(stream), "function_call").stream()
                    .map(
                            item ->
                                    new Call(
                                            item.get("name").stringValue(),
                                            Json.MAPPER.readTree(
                                                    item.get("arguments").stringValue())))
                    .findFirst();
        }
    };

    /** The task that the user gave to the agent. */
    static final String TASK = "Write two lines into notes.txt";

    /** The content of the file, as the result of the read call reported it to the agent. */
    static final String READ = "second line";

    /** A call of a tool, in any dialect. */
    record Call(String tool, JsonNode arguments) {}

    private final String route;
    private final String conversation;
    private final String tool;
    private final String parameter;

    RecordedAgent(String route, String conversation, String tool, String parameter) {
        this.route = route;
        this.conversation = conversation;
        this.tool = tool;
        this.parameter = parameter;
    }

    String route() {
        return route;
    }

    /** A tool that it offers. */
    String tool() {
        return tool;
    }

    /** A string that the tool takes. */
    String parameter() {
        return parameter;
    }

    /** The first call in the stream of an answer, whose events are checked. */
    abstract Optional<Call> call(String stream);

    /** The request that the agent sent before each answer of the model. */
    List<String> turns() throws IOException {
        ObjectNode last = recorded();
        ArrayNode said = (ArrayNode) last.get(conversation);
        List<String> turns = new ArrayList<>();
        ArrayNode before = Json.MAPPER.createArrayNode();
        for (int i = 0; i < said.size(); i++) {
            if (isModels(said.get(i)) && !isModels(said.get(i - 1))) {
                ObjectNode turn = last.deepCopy();
                turn.set(conversation, before.deepCopy());
                turns.add(Json.write(turn));
            }
            before.add(said.get(i));
        }
        turns.add(Json.write(last));
        return turns;
    }

    private static boolean isModels(JsonNode item) {
        String role = item.path("role").stringValue("");
        String type = item.path("type").stringValue("");
        return role.equals("assistant") || type.equals("reasoning") || type.equals("function_call");
    }

    private ObjectNode recorded() throws IOException {
        String file = "/agents/" + name().toLowerCase(Locale.ROOT).replace('_', '-');
        try (InputStream in = RecordedAgent.class.getResourceAsStream(file + ".json")) {
            return (ObjectNode) Json.MAPPER.readTree(in);
        }
    }
}
