package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Set;

/** Fields that clients of one vendor send to routes of another, or to every server. */
@Timeout(60)
class ApiCompatibilityTest {
    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(4000).says(SmallChat.answer("Hello"));
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private HttpResponse<String> post(String path, String field) throws Exception {
        ObjectNode body = (ObjectNode) Json.MAPPER.readTree("{" + field + "}");
        body.put("max_tokens", 100);
        switch (path) {
            case "/v1/completions", "/completion" -> body.put("prompt", "Hi");
            case "/v1/responses" -> body.put("input", "Hi");
            default ->
                    body.putArray("messages").addObject().put("role", "user").put("content", "Hi");
        }
        return server.post(path, Json.write(body));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/messages | functions | [{\"name\": \"f\"}]",
                "/v1/messages | audio | {\"voice\": \"x\"}",
                "/v1/messages | modalities | [\"audio\"]",
                "/v1/messages | logprobs | true",
                "/v1/messages | top_logprobs | 2",
                "/v1/messages | parallel_tool_calls | false",
                "/v1/responses | functions | [{\"name\": \"f\"}]",
                "/v1/responses | function_call | {\"name\": \"f\"}",
                "/v1/responses | audio | {\"voice\": \"x\"}",
                "/v1/responses | modalities | [\"audio\"]",
                "/v1/completions | functions | [{\"name\": \"f\"}]",
                "/v1/completions | modalities | [\"audio\"]",
                "/v1/completions | tools | [{\"type\": \"function\"}]",
                "/v1/completions | tool_choice | \"required\"",
                "/completion | tools | [{\"type\": \"function\"}]"
            })
    void unsupportedConstraintsAreRefusedByAllApis(String path, String name, String value)
            throws Exception {
        HttpResponse<String> answer = post(path, "\"" + name + "\": " + value);

        assertEquals(400, answer.statusCode(), answer.body());
        assertTrue(
                TestServer.json(answer).at("/error/message").stringValue().startsWith(name + ": "),
                answer.body());
        assertTrue(engine.requests.isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/messages | \"logprobs\": false, \"parallel_tool_calls\": true, \"functions\":"
                        + " []",
                "/v1/completions | \"tools\": [], \"tool_choice\": \"none\"",
                "/v1/completions | \"seed\": -1",
                "/completion | \"logit_bias\": [[5, -3.5], [\"6\", 1]]",
                "/completion | \"logit_bias\": []"
            })
    void neutralConstraintsAreAccepted(String path, String fields) throws Exception {
        HttpResponse<String> answer = post(path, fields);

        assertEquals(200, answer.statusCode(), answer.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[[5]]",
                "[5, 1]",
                "[[5, \"x\"]]",
                "[[-1, 1]]",
                "[[\"a\", 1]]",
                "[[5, false]]"
            })
    void otherBiasesAreRefused(String bias) throws Exception {
        HttpResponse<String> answer = post("/completion", "\"logit_bias\": " + bias);

        assertEquals(400, answer.statusCode(), answer.body());
        assertEquals("logit_bias", TestServer.json(answer).at("/error/param").stringValue());
    }

    @Test
    void randomSeedDiffersEachTime() throws Exception {
        post("/completion", "\"seed\": -1");
        post("/completion", "\"seed\": -2");

        assertTrue(engine.requests.get(0).choice().sampling().seed().isEmpty());
        assertEquals(-2, engine.requests.get(1).choice().sampling().seed().orElseThrow());
    }

    /** Tools that the vendor's servers run are not there to be called, so nobody is made to. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/messages | {\"type\": \"web_search_20250305\", \"name\": \"web_search\"}"
                        + " | {\"type\": \"tool\", \"name\": \"web_search\"}",
                "/v1/messages | {\"type\": \"web_search_20250305\", \"name\": \"web_search\"}"
                        + " | {\"type\": \"any\"}",
                "/v1/responses | {\"type\": \"web_search\"} | {\"type\": \"web_search\"}",
                "/v1/responses | {\"type\": \"web_search\"} | \"required\""
            })
    void unsupportedToolIsNeverForced(String path, String tool, String choice) throws Exception {
        HttpResponse<String> answer =
                post(path, "\"tools\": [" + tool + "], \"tool_choice\": " + choice);

        assertEquals(200, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("Hello"), answer.body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/messages | {\"type\": \"tool\", \"name\": \"other\"}",
                "/v1/responses | {\"type\": \"file_search\"}"
            })
    void unknownToolIsRefused(String path, String choice) throws Exception {
        String tool = "{\"type\": \"web_search\", \"name\": \"web_search\"}";

        HttpResponse<String> answer =
                post(path, "\"tools\": [" + tool + "], \"tool_choice\": " + choice);

        assertEquals(400, answer.statusCode(), answer.body());
    }

    /** SDKs in a browser send headers that only their vendors know. */
    @Test
    void allowedOriginsMaySendRequestedHeaders() throws IOException {
        HttpOptions options =
                HttpOptions.loopback()
                        .withPages(
                                new CorsAndHostOptions(Set.of("https://page.example"), Set.of()));
        try (TestServer open = TestServer.of(engine, options);
                RawClient client = RawClient.of(open)) {
            String answer =
                    client.send(
                                    "OPTIONS /v1/messages HTTP/1.1\r\nHost: localhost\r\n"
                                            + "Origin: https://page.example\r\n"
                                            + "Access-Control-Request-Method: POST\r\n"
                                            + "Access-Control-Request-Headers: anthropic-version,"
                                            + "x-stainless-os\r\nConnection: close\r\n\r\n")
                            .rest();

            assertTrue(answer.startsWith("HTTP/1.1 204"), answer);
            assertTrue(
                    answer.contains(
                            "Access-Control-Allow-Headers: anthropic-version,x-stainless-os\r\n"),
                    answer);
            assertTrue(answer.contains("Request-Id"), answer);
        }
    }

    /** A last message of the assistant that says nothing is no beginning of an answer. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/messages | [{\"type\": \"thinking\", \"thinking\": \"hm\", \"signature\":"
                        + " \"\"}]",
                "/v1/chat/completions | \"\""
            })
    void emptyAssistantMessageIsNotContinued(String path, String content) throws Exception {
        engine.says(SmallChat.answer("new</think>Hello"));
        String body =
                "{\"max_tokens\": 100, \"enable_thinking\": true, \"messages\": [{\"role\":"
                        + " \"user\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"content\": "
                        + content
                        + "}]}";

        JsonNode answer = TestServer.json(server.post(path, body));

        assertTrue(answer.toString().contains("\"new\""), answer.toString());
        assertTrue(answer.toString().contains("\"Hello\""), answer.toString());
        assertFalse(answer.toString().contains("</think>"), answer.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nanthropic-version: 2023-06-01\r\n"
                        + "Content-Length: abc\r\n\r\n",
                "POST /v1/messages/%2e%2e/x HTTP/1.1\r\nHost: localhost\r\n"
                        + "Connection: close\r\n\r\n"
            })
    void invalidHttpHasTheErrorFormatOfItsApi(String request) throws Exception {
        try (RawClient client = RawClient.of(server)) {
            String answer = client.send(request).rest();

            assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
            JsonNode error = Json.MAPPER.readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
            assertEquals("error", error.path("type").asString(""), answer);
            assertEquals("invalid_request_error", error.at("/error/type").asString(""), answer);
            String id = error.path("request_id").asString("none");
            assertTrue(answer.contains("request-id: " + id + "\r\n"), answer);
            assertTrue(answer.contains("x-should-retry: false\r\n"), answer);
        }
    }
}
