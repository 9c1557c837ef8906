package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.ContextOverflowException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Anthropic's Messages; each byte of the small model's answers is a token. */
@Timeout(60)
class MessagesTest {
    private static final String PATH = "/v1/messages";
    private static final String TOOLS =
            "\"tools\": [{\"name\": \"f\", \"input_schema\": {\"type\": \"object\", \"properties\":"
                    + " {\"b\": {\"type\": \"string\"}, \"a\": {\"type\": \"integer\"}}}},"
                    + " {\"type\": \"custom\", \"name\": \"g\", \"input_schema\": {\"type\":"
                    + " \"object\"}, \"cache_control\": {\"type\": \"ephemeral\"}},"
                    + " {\"type\": \"web_search_20250305\", \"name\": \"web_search\"}]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private HttpResponse<String> post(String fields, String... headers) throws Exception {
        return server.post(
                PATH,
                "{\"max_tokens\": 500, \"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]"
                        + (fields.isEmpty() ? "" : ", " + fields)
                        + "}",
                headers);
    }

    private ObjectNode ask(String fields, boolean stream) throws Exception {
        HttpResponse<String> response =
                post(fields + (fields.isEmpty() ? "" : ", ") + "\"stream\": " + stream);
        assertEquals(200, response.statusCode(), response.body());
        return stream
                ? MessagesStream.read(response.body())
                : (ObjectNode) TestServer.json(response);
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reasoningTextAndCallsAreBlocksInOrder(boolean stream) throws Exception {
        engine.says(
                SmallChat.answer(
                        "plan</think>\n\nI look."
                                + SmallChat.call("f", "{\"b\": \"é\\\"}\", \"a\": 1}")
                                + SmallChat.call("g", "{}")));

        ObjectNode message = ask(TOOLS + ", \"thinking\": {\"type\": \"enabled\"}", stream);

        assertTrue(message.get("id").stringValue().matches("msg_[0-9a-f]{32}"));
        assertEquals("message", message.get("type").stringValue());
        assertEquals("assistant", message.get("role").stringValue());
        assertEquals("small", message.get("model").stringValue());
        assertEquals("tool_use", message.get("stop_reason").stringValue());
        assertTrue(message.get("stop_sequence").isNull());
        JsonNode content = message.get("content");
        assertEquals(
                "{\"type\":\"thinking\",\"thinking\":\"plan\",\"signature\":\"\"}",
                content.get(0).toString());
        assertEquals("{\"type\":\"text\",\"text\":\"I look.\"}", content.get(1).toString());
        assertEquals("f", content.get(2).get("name").stringValue());
        assertEquals("{\"b\":\"é\\\"}\",\"a\":1}", content.get(2).get("input").toString());
        assertEquals("{}", content.get(3).get("input").toString());
        assertTrue(content.get(3).get("id").stringValue().matches("toolu_[0-9a-f]{32}"));
        assertEquals(4, content.size());
        assertFalse(prompt().contains("web_search"), prompt());
        assertFalse(prompt().contains("cache_control"), prompt());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noEmptyTextPrecedesACall(boolean stream) throws Exception {
        engine.says(SmallChat.answer("\n\n" + SmallChat.call("g", "{}") + "\n"));

        JsonNode content = ask(TOOLS, stream).get("content");

        assertEquals(1, content.size(), content.toString());
        assertEquals("tool_use", content.get(0).get("type").stringValue());
    }

    @ParameterizedTest
    @CsvSource({
        "Hello, 2, max_tokens, He,",
        "Hello, 500, end_turn, Hello,",
        "HelENDlo, 500, stop_sequence, Hel, END"
    })
    void stopReasonIsReported(String says, int most, String reason, String text, String stop)
            throws Exception {
        for (boolean stream : new boolean[] {true, false}) {
            engine.says(SmallChat.answer(says));

            ObjectNode message =
                    ask("\"stop_sequences\": [\"END\"], \"max_tokens\": " + most, stream);

            assertEquals(reason, message.get("stop_reason").stringValue());
            assertEquals(text, message.at("/content/0/text").stringValue());
            assertEquals(stop, message.get("stop_sequence").stringValue(null));
        }
    }

    @Test
    void limitBeyondTheContextIsClamped() throws Exception {
        engine.says(SmallChat.answer("ok"));

        assertEquals(200, post("\"max_tokens\": 32000").statusCode());

        int prompt = engine.requests.getLast().prompt().length();
        assertEquals(4000 - prompt, engine.requests.getLast().ending().maxTokens());
    }

    @Test
    void countedTokensEqualUsedTokens() throws Exception {
        engine.says(SmallChat.answer("abc"));
        String body =
                "{\"system\": [{\"type\": \"text\", \"text\": \"S\"}], \"messages\": [{\"role\":"
                        + " \"user\", \"content\": [{\"type\": \"text\", \"text\": \"Hi\"}]}], "
                        + TOOLS
                        + "}";
        JsonNode counted = TestServer.json(server.post(PATH + "/count_tokens", body));

        JsonNode usage = TestServer.json(server.post(PATH, body)).get("usage");

        assertEquals("{\"input_tokens\":" + usage.get("input_tokens") + "}", counted.toString());
        assertEquals(3, usage.get("output_tokens").intValue());
        assertEquals(0, usage.get("cache_read_input_tokens").intValue());
        assertEquals(0, usage.get("cache_creation_input_tokens").intValue());
        assertEquals(
                usage.get("input_tokens").intValue(), engine.requests.getLast().prompt().length());
    }

    @Test
    void streamStartHasThePromptTokens() throws Exception {
        engine.says(SmallChat.answer("abc"));

        JsonNode start = TestServer.events(post("\"stream\": true").body()).getFirst();

        assertEquals("message_start", start.get("type").stringValue());
        assertEquals(
                engine.requests.getLast().prompt().length(),
                start.at("/message/usage/input_tokens").intValue());
    }

    @Test
    void tokenCountingIsConcurrent() throws Exception {
        String body =
                "{\"messages\": [{\"role\": \"user\", \"content\": \"" + "x".repeat(3000) + "\"}]}";
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Callable<HttpResponse<String>> count =
                        () -> server.post(PATH + "/count_tokens", body);
                answers.add(clients.submit(count));
            }
            for (Future<HttpResponse<String>> answer : answers) {
                assertEquals(200, answer.get().statusCode());
                assertTrue(answer.get().body().contains("input_tokens"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"/v1", "''", "/v1/v1"})
    void versionPrefixIsOptional(String base) throws Exception {
        engine.says(SmallChat.answer("ok"));
        String body = "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}";

        assertEquals(200, server.post(base + "/messages", body).statusCode());
        assertEquals(200, server.post(base + "/messages/count_tokens", body).statusCode());
    }

    @Test
    void toolResultsPrecedeText() throws Exception {
        engine.says(SmallChat.answer("ok"));

        HttpResponse<String> response =
                server.post(
                        PATH,
                        """
                        {"messages": [
                          {"role": "user", "content": "q"},
                          {"role": "assistant", "content": [
                            {"type": "thinking", "thinking": "t", "signature": "s"},
                            {"type": "redacted_thinking", "data": "zzz"},
                            {"type": "text", "text": "look"},
                            {"type": "tool_use", "id": "toolu_1", "name": "f",
                             "input": {"b": "x"}},
                            {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}]},
                          {"role": "user", "content": [
                            {"type": "text", "text": "and "},
                            {"type": "tool_result", "tool_use_id": "toolu_1",
                             "content": [{"type": "text", "text": "r1"}]},
                            {"type": "tool_result", "tool_use_id": "toolu_2", "content": "r2",
                             "is_error": true},
                            {"type": "text", "text": "go"}]}]}
                        """);

        assertEquals(200, response.statusCode(), response.body());
        assertEquals(
                "[user]q\n[assistant](t)lookf{\"b\": \"x\"}g{}\n[tool f toolu_1]r1\n"
                        + "[tool g toolu_2]Error: r2\n[user]and go\n[assistant]",
                prompt().replaceAll("\\[(tool \\w) (\\w+)]", "[$1 $2]"));
    }

    @Test
    void trailingAssistantMessageIsContinued() throws Exception {
        engine.says(SmallChat.answer("lo"));

        server.post(
                PATH,
                "{\"messages\": [{\"role\": \"user\", \"content\": \"q\"},"
                        + " {\"role\": \"assistant\", \"content\": \"Hel\"}]}");

        assertTrue(prompt().endsWith("[assistant]</think>Hel"), prompt());
    }

    @Test
    void changingBillingHeaderDoesNotChangeThePrompt() throws Exception {
        engine.says(SmallChat.answer("ok"));
        List<int[]> prompts = new ArrayList<>();
        for (String value : List.of("cch=1; v=2", "cch=99999;")) {
            post(
                    "\"system\": [{\"type\": \"text\", \"text\": \"x-anthropic-billing-header: "
                            + value
                            + "\"}, {\"type\": \"text\", \"text\": \"Be brief.\"}]");
            prompts.add(engine.requests.getLast().prompt().tokens());
        }

        assertArrayEquals(prompts.get(0), prompts.get(1));
        assertTrue(prompt().contains("Be brief."), prompt());
    }

    @Test
    void nullIsAbsent() throws Exception {
        engine.says(SmallChat.answer("ok"));
        String nulls =
                "\"system\": null, \"tools\": null, \"tool_choice\": null, \"thinking\": null,"
                    + " \"stop_sequences\": null, \"temperature\": null, \"top_p\": null,"
                    + " \"top_k\": null, \"metadata\": null, \"stream\": null, \"service_tier\":"
                    + " null, \"container\": null, \"mcp_servers\": null, \"output_config\": null,"
                    + " \"output_format\": null, \"context_management\": null, \"max_tokens\":"
                    + " null";

        assertEquals(200, post(nulls).statusCode());
    }

    @Test
    void responsesMayFollowASchema() throws Exception {
        engine.says(SmallChat.answer("{\"a\": 1}"));
        String format =
                "{\"type\": \"json_schema\", \"schema\": {\"type\": \"object\", \"properties\":"
                        + " {\"a\": {\"type\": \"integer\"}}, \"required\": [\"a\"]}}";

        for (String field :
                List.of(
                        "\"output_format\": " + format,
                        "\"output_config\": {\"format\": " + format + "}")) {
            assertEquals("{\"a\": 1}", ask(field, false).at("/content/0/text").stringValue());
            assertTrue(engine.requests.getLast().choice().constraint().constrains());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"type\": \"any\"}', true",
        "'{\"type\": \"tool\", \"name\": \"g\"}', true",
        "'{\"type\": \"auto\"}', false",
        "'{\"type\": \"none\"}', false"
    })
    void callCanBeRequired(String choice, boolean forced) throws Exception {
        engine.says(SmallChat.answer("x"));

        JsonNode content = ask(TOOLS + ", \"tool_choice\": " + choice, false).get("content");

        boolean says = content.path(0).path("text").asString("").equals("x");
        assertEquals(forced, !says, content.toString());
        assertEquals(forced, engine.requests.getLast().choice().constraint().constrains());
        assertEquals(!choice.contains("none"), prompt().contains("\"g\""), prompt());
    }

    @Test
    void withoutParallelCallsTheResponseEndsAfterTheFirst() throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("g", "{}") + SmallChat.call("g", "{}")));

        JsonNode content =
                ask(
                                TOOLS
                                        + ", \"tool_choice\": {\"type\": \"auto\","
                                        + " \"disable_parallel_tool_use\": true}",
                                true)
                        .get("content");

        assertEquals(1, content.size(), content.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "{\"messages\": []}",
                "{\"messages\": \"x\"}",
                "{\"messages\": [1]}",
                "{\"messages\": [{\"role\": \"x\", \"content\": \"a\"}]}",
                "{\"messages\": [{\"role\": \"user\"}]}",
                "{\"messages\": [{\"role\": \"user\", \"content\": 1}]}",
                "{\"messages\": [{\"role\": \"user\", \"content\": [1]}]}",
                "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"image\"}]}]}",
                "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\"}]}]}",
                "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"document\","
                        + " \"source\": {\"type\": \"base64\"}}]}]}",
                "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"tool_result\"}]}]}"
            })
    void errorsHaveTheAnthropicFormat(String body) throws Exception {
        requireInvalid(server.post(PATH, body));
        requireInvalid(server.post(PATH + "/count_tokens", body));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"max_tokens\": 0",
                "\"temperature\": 3",
                "\"thinking\": {\"type\": \"often\"}",
                "\"thinking\": 1",
                "\"system\": 1",
                "\"system\": [{\"type\": \"image\"}]",
                "\"tools\": 1",
                "\"tools\": [1]",
                "\"tools\": [{\"input_schema\": {}}]",
                "\"tool_choice\": \"any\"",
                "\"tool_choice\": {\"type\": \"tool\", \"name\": \"nobody\"}",
                "\"stop_sequences\": [1]",
                "\"output_format\": {\"type\": \"yaml\"}",
                "\"mcp_servers\": [{}]",
                "\"n\": 2"
            })
    void fieldErrorsHaveTheAnthropicFormat(String field) throws Exception {
        requireInvalid(post(field));
    }

    private static void requireInvalid(HttpResponse<String> response) {
        assertEquals(400, response.statusCode(), response.body());
        JsonNode error = TestServer.json(response);
        assertEquals("error", error.get("type").stringValue());
        assertEquals("invalid_request_error", error.at("/error/type").stringValue());
        assertFalse(error.at("/error/message").stringValue().isEmpty());
        assertEquals(
                response.headers().firstValue("request-id").orElseThrow(),
                error.get("request_id").stringValue());
    }

    @ParameterizedTest
    @CsvSource({
        "OVERLOADED, 429, rate_limit_error",
        "UNAVAILABLE, 503, overloaded_error",
        "BACKEND_FAILED, 500, api_error",
        "CONTEXT_OVERFLOW, 400, invalid_request_error"
    })
    void engineRefusalIsReported(VarveException.Kind kind, int status, String type)
            throws Exception {
        engine.refuses(new VarveException(kind, "why"));

        for (String stream : List.of("\"stream\": true", "\"stream\": false")) {
            HttpResponse<String> response = post(stream);

            assertEquals(status, response.statusCode());
            assertEquals(type, TestServer.json(response).at("/error/type").stringValue());
        }
    }

    /** Claude Code looks for these words, and makes its conversation shorter. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "150 | 1 | prompt is too long: 150 tokens > 100 maximum",
                "90 | 20 | input length and `max_tokens` exceed context limit: 90 + 20 > 100,"
                        + " decrease input length or `max_tokens` and try again"
            })
    void tooLongPromptHasTheAnthropicMessage(int prompt, int output, String words)
            throws Exception {
        engine.refuses(ContextOverflowException.of(100, prompt, output));

        assertEquals(words, TestServer.json(post("")).at("/error/message").stringValue());
    }

    @Test
    void engineFailureSendsNoMessageStop() throws Exception {
        engine.says(SmallChat.answer("Hel"))
                .fails(new VarveException(VarveException.Kind.BACKEND_FAILED, "it broke"));

        assertEquals(500, post("").statusCode());

        String stream = post("\"stream\": true").body();
        assertTrue(
                stream.endsWith(
                        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\","
                                + "\"message\":\"it broke\"}}\n\n"),
                stream);
        assertFalse(stream.contains("message_stop"), stream);
    }

    @Test
    void unknownRoutesHaveTheErrorFormatOfTheClient() throws Exception {
        HttpResponse<String> response = server.get("/v1/files", "anthropic-version", "2023-06-01");

        assertEquals(404, response.statusCode());
        assertEquals("not_found_error", TestServer.json(response).at("/error/type").stringValue());
    }
}
