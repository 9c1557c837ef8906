package dev.varve.platform.http;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.List;

/** A client that keeps a conversation and adds the answers to it as they come. */
final class AgentClient {
    private final TestServer server;
    private final ObjectNode body;
    private final ArrayNode messages;

    /** An answer put together: the message and its finish reason. */
    record Answer(ObjectNode message, String finishReason) {
        JsonNode call(int index) {
            return message.get("tool_calls").get(index);
        }
    }

    /** {@code fields}: all of the request but the messages. */
    AgentClient(TestServer server, String fields) {
        this.server = server;
        body = (ObjectNode) Json.MAPPER.readTree("{" + fields + "}");
        messages = body.putArray("messages");
    }

    AgentClient adds(String message) {
        messages.add(Json.MAPPER.readTree(message));
        return this;
    }

    void addsResult(JsonNode call, String text) {
        messages.addObject()
                .put("role", "tool")
                .put("tool_call_id", call.get("id").stringValue())
                .put("content", text);
    }

    Answer asks(boolean stream) throws Exception {
        HttpResponse<String> response =
                server.post("/v1/chat/completions", Json.write(body.put("stream", stream)));
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + " " + response.body());
        }
        Answer answer = stream ? streamed(response.body()) : whole(response);
        messages.add(answer.message());
        return answer;
    }

    static Answer whole(HttpResponse<String> response) {
        JsonNode choice = TestServer.json(response).at("/choices/0");
        return new Answer(
                (ObjectNode) choice.get("message"), choice.get("finish_reason").stringValue());
    }

    /** As clients do it: texts are joined, calls are found by their index. */
    static Answer streamed(String stream) {
        ObjectNode message = Json.object().put("role", "assistant").putNull("content");
        String finishReason = "";
        List<JsonNode> events = TestServer.events(stream);
        for (JsonNode event : events) {
            JsonNode choice = event.at("/choices/0");
            for (String field : List.of("content", "reasoning_content")) {
                String text = choice.at("/delta/" + field).asString("");
                if (!text.isEmpty()) {
                    message.put(field, message.path(field).asString("") + text);
                }
            }
            for (JsonNode part : choice.at("/delta/tool_calls")) {
                add(message, part);
            }
            finishReason = choice.path("finish_reason").asString(finishReason);
        }
        return new Answer(message, finishReason);
    }

    private static void add(ObjectNode message, JsonNode part) {
        ArrayNode calls =
                message.path("tool_calls") instanceof ArrayNode array
                        ? array
                        : message.putArray("tool_calls");
        int index = part.get("index").intValue();
        if (part.has("id")) {
            if (index != calls.size() || !part.at("/function/arguments").asString("?").isEmpty()) {
                throw new AssertionError("a call begins out of order: " + part);
            }
            ObjectNode call = (ObjectNode) part.deepCopy();
            call.remove("index");
            calls.add(call);
        } else {
            ObjectNode function = (ObjectNode) calls.get(index).get("function");
            function.put(
                    "arguments",
                    function.get("arguments").stringValue()
                            + part.at("/function/arguments").stringValue());
        }
    }
}
