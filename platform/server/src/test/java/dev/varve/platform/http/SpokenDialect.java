package dev.varve.platform.http;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** How a client of each dialect asks a question, and reads what comes. */
enum SpokenDialect {
    CHAT("/v1/chat/completions") {
        @Override
        ObjectNode body(String question) {
            ObjectNode body = Json.object().put("enable_thinking", true);
            body.putArray("messages")
                    .add(message("system", "Be brief."))
                    .add(message("user", question));
            body.set(
                    "tools",
                    Json.MAPPER.readTree(
                            "[{\"type\": \"function\", \"function\": {"
                                    + described("parameters")
                                    + "}}]"));
            return body;
        }

        @Override
        Said read(HttpResponse<String> response, boolean stream) {
            AgentClient.Answer answer =
                    stream ? AgentClient.streamed(response.body()) : AgentClient.whole(response);
            List<String> calls = new ArrayList<>();
            for (JsonNode call : answer.message().path("tool_calls")) {
                calls.add(
                        call(
                                call.at("/function/name").stringValue(),
                                call.at("/function/arguments").stringValue()));
            }
            return new Said(
                    answer.message().path("reasoning_content").asString(""),
                    answer.message().path("content").asString(""),
                    calls,
                    answer.finishReason());
        }
    },
    MESSAGES("/v1/messages") {
        @Override
        ObjectNode body(String question) {
            ObjectNode body = Json.object().put("system", "Be brief.");
            body.put("enable_thinking", true);
            body.putArray("messages").add(message("user", question));
            body.set("tools", Json.MAPPER.readTree("[{" + described("input_schema") + "}]"));
            return body;
        }

        @Override
        Said read(HttpResponse<String> response, boolean stream) {
            JsonNode message =
                    stream ? MessagesStream.read(response.body()) : TestServer.json(response);
            StringBuilder thoughts = new StringBuilder();
            StringBuilder text = new StringBuilder();
            List<String> calls = new ArrayList<>();
            for (JsonNode block : message.get("content")) {
                thoughts.append(block.path("thinking").asString(""));
                text.append(block.path("text").asString(""));
                if (block.has("input")) {
                    calls.add(call(block.get("name").stringValue(), block.get("input").toString()));
                }
            }
            String end =
                    switch (message.get("stop_reason").stringValue()) {
                        case "tool_use" -> "tool_calls";
                        case "max_tokens" -> "length";
                        default -> "stop";
                    };
            return new Said(thoughts.toString(), text.toString(), calls, end);
        }
    },
    RESPONSES("/v1/responses") {
        @Override
        ObjectNode body(String question) {
            ObjectNode body = Json.object().put("instructions", "Be brief.");
            body.put("enable_thinking", true).put("input", question);
            body.set(
                    "tools",
                    Json.MAPPER.readTree(
                            "[{\"type\": \"function\", " + described("parameters") + "}]"));
            return body;
        }

        @Override
        Said read(HttpResponse<String> response, boolean stream) {
            JsonNode answer =
                    stream ? ResponsesClient.ended(response.body()) : TestServer.json(response);
            StringBuilder thoughts = new StringBuilder();
            StringBuilder text = new StringBuilder();
            List<String> calls = new ArrayList<>();
            for (JsonNode item : answer.get("output")) {
                switch (item.get("type").stringValue()) {
                    case "reasoning" -> thoughts.append(item.at("/content/0/text").asString(""));
                    case "message" -> text.append(item.at("/content/0/text").asString(""));
                    default ->
                            calls.add(
                                    call(
                                            item.get("name").stringValue(),
                                            item.get("arguments").stringValue()));
                }
            }
            String end = calls.isEmpty() ? "stop" : "tool_calls";
            return new Said(
                    thoughts.toString(),
                    text.toString(),
                    calls,
                    answer.get("status").stringValue().equals("incomplete") ? "length" : end);
        }
    },
    OLLAMA("/api/chat") {
        @Override
        ObjectNode body(String question) {
            ObjectNode body = Json.object().put("think", true);
            body.putArray("messages")
                    .add(message("system", "Be brief."))
                    .add(message("user", question));
            body.set("tools", CHAT.body(question).get("tools"));
            return body;
        }

        @Override
        Said read(HttpResponse<String> response, boolean stream) {
            StringBuilder thoughts = new StringBuilder();
            StringBuilder text = new StringBuilder();
            List<String> calls = new ArrayList<>();
            JsonNode last = Json.object();
            for (JsonNode line : events(response.body())) {
                thoughts.append(line.at("/message/thinking").asString(""));
                text.append(line.at("/message/content").asString(""));
                for (JsonNode call : line.at("/message/tool_calls")) {
                    calls.add(
                            call(
                                    call.at("/function/name").stringValue(),
                                    call.at("/function/arguments").toString()));
                }
                last = line;
            }
            String end = last.get("done_reason").stringValue();
            return new Said(
                    thoughts.toString(),
                    text.toString(),
                    calls,
                    end.equals("stop") && !calls.isEmpty() ? "tool_calls" : end);
        }

        @Override
        List<JsonNode> events(String stream) {
            return stream.lines().<JsonNode>map(Json.MAPPER::readTree).toList();
        }
    };

    /** The parts of an answer, without the form that its dialect gives them. */
    record Said(String thoughts, String text, List<String> calls, String end) {}

    private static final String SCHEMA =
            "{\"type\": \"object\", \"properties\": {\"b\": {\"type\": \"string\"},"
                    + " \"a\": {\"type\": \"integer\"}}}";

    /** Its route. */
    final String path;

    SpokenDialect(String path) {
        this.path = path;
    }

    /** With the system prompt, a question and a tool. */
    abstract ObjectNode body(String question);

    abstract Said read(HttpResponse<String> response, boolean stream);

    /** The objects of a stream. */
    List<JsonNode> events(String stream) {
        return TestServer.events(stream);
    }

    private static String described(String schema) {
        return "\"name\": \"f\", \"description\": \"Does it\", \"" + schema + "\": " + SCHEMA;
    }

    private static ObjectNode message(String role, String content) {
        return Json.object().put("role", role).put("content", content);
    }

    private static String call(String name, String arguments) {
        return name + Json.write(Json.MAPPER.readTree(arguments));
    }
}
