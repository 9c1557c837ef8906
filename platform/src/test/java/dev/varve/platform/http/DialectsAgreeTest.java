package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** One conversation in three dialects: the same prompt, and the same answer, streamed or not. */
@Timeout(120)
class DialectsAgreeTest {
    private static final String SCHEMA =
            "{\"type\": \"object\", \"properties\": {\"b\": {\"type\": \"string\"},"
                    + " \"a\": {\"type\": \"integer\"}}}";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(20_000);

    @AfterEach
    void stop() {
        engine.close();
    }

    /** What an answer says, whatever its shape. */
    private record Said(String thoughts, String text, List<String> calls, String end) {}

    private enum Dialect {
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
                        stream
                                ? AgentClient.streamed(response.body())
                                : AgentClient.whole(response);
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
                        calls.add(
                                call(
                                        block.get("name").stringValue(),
                                        block.get("input").toString()));
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
                        case "reasoning" ->
                                thoughts.append(item.at("/content/0/text").asString(""));
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
        };

        private final String path;

        Dialect(String path) {
            this.path = path;
        }

        /** With the system prompt, a question and a tool. */
        abstract ObjectNode body(String question);

        abstract Said read(HttpResponse<String> response, boolean stream);

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

    private Said ask(TestServer server, Dialect dialect, String fields, boolean stream)
            throws Exception {
        ObjectNode body = dialect.body("Why? <think> é\uD83D\uDE00");
        body.setAll((ObjectNode) Json.MAPPER.readTree("{" + fields + "}"));
        HttpResponse<String> response =
                server.post(dialect.path, Json.write(body.put("stream", stream)));
        assertEquals(200, response.statusCode(), dialect + ": " + response.body());
        return dialect.read(response, stream);
    }

    private void compare(TestServer server, String fields, Said expected) throws Exception {
        for (Dialect dialect : Dialect.values()) {
            for (boolean stream : new boolean[] {false, true}) {
                Said said = ask(server, dialect, fields, stream);

                assertEquals(expected, said, dialect + ", stream " + stream);
                assertArrayEquals(
                        engine.requests.getFirst().prompt().tokens(),
                        engine.requests.getLast().prompt().tokens(),
                        dialect + ": prompt");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ChatFamily.class)
    void familiesSayTheSame(ChatFamily family) throws Exception {
        String call = family.call("f", "b", "x\n\"}</y> é\uD83D\uDE00");
        engine.says(family.answer(family.thought("I plan.") + "I look." + call));
        try (TestServer server = TestServer.of(family.served(engine))) {
            Said said = ask(server, Dialect.CHAT, "", false);

            assertEquals("I plan.", said.thoughts().strip());
            assertEquals("I look.", said.text());
            assertEquals(List.of("f{\"b\":\"x\\n\\\"}</y> é\uD83D\uDE00\"}"), said.calls());
            assertEquals("tool_calls", said.end());
            compare(server, "", said);
        }
    }

    /** Each byte is a token of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"é\uD83D\uDE00 plain", " two\n\nlines ", "<b>", "{\"json\": 1}"})
    void textsAreTheSame(String text) throws Exception {
        engine.says(SmallChat.answer("hm</think>" + text));
        try (TestServer server = SmallChat.server(engine)) {
            compare(server, "", new Said("hm", text.stripLeading(), List.of(), "stop"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 9, 14, 20, 40})
    void limitsCutTheSame(int most) throws Exception {
        engine.says(SmallChat.answer("hm, so</think>It is so, isn't it."));
        try (TestServer server = SmallChat.server(engine)) {
            Said first = ask(server, Dialect.CHAT, "\"max_completion_tokens\": " + most, false);

            compare(server, "\"max_completion_tokens\": " + most, first);
        }
    }
}
