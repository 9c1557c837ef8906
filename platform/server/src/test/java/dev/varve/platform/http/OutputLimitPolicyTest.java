package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.model.OutputLimitPolicy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/** Limits of output tokens that are larger than what the context leaves. */
@Timeout(60)
class OutputLimitPolicyTest {
    private static final String MESSAGES =
            "\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]";

    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(1000).says(SmallChat.answer("ok"));

    @AfterEach
    void stop() {
        engine.close();
    }

    private static String body(String path, String limit) {
        String prompt =
                switch (path) {
                    case "/v1/completions", "/completion" -> "\"prompt\": \"a\"";
                    case "/v1/responses" -> "\"input\": \"a\"";
                    default -> MESSAGES;
                };
        return "{" + prompt + ", " + limit + "}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/chat/completions | \"max_tokens\": 32000",
                "/v1/chat/completions | \"max_completion_tokens\": 65536",
                "/v1/chat/completions | \"max_tokens\": 1000",
                "/v1/chat/completions | \"max_tokens\": 9007199254740991",
                "/v1/responses        | \"max_output_tokens\": 65535",
                "/v1/messages         | \"max_tokens\": 32000",
                "/v1/completions      | \"max_tokens\": 4294967296",
                "/completion          | \"n_predict\": 32000"
            })
    void limitBeyondTheContextIsClamped(String path, String limit) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            HttpResponse<String> response = server.post(path, body(path, limit));

            assertEquals(200, response.statusCode(), response.body());
            int prompt = engine.requests.getLast().prompt().tokens().length;
            assertEquals(1000 - prompt, engine.requests.getLast().ending().maxTokens());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/chat/completions", "/v1/responses", "/v1/completions"})
    void strictServerRequestsTheWholeLimit(String path) throws Exception {
        try (TestServer server =
                TestServer.of(SmallChat.served(engine).with(OutputLimitPolicy.MUST_FIT))) {
            HttpResponse<String> response = server.post(path, body(path, "\"max_tokens\": 32000"));

            assertEquals(200, response.statusCode(), response.body());
            assertEquals(32_000, engine.requests.getLast().ending().maxTokens());
        }
    }

    /** The prompt itself must leave room for a token. */
    @ParameterizedTest
    @ValueSource(strings = {"/v1/chat/completions", "/v1/responses", "/v1/completions"})
    void promptBeyondTheContextIsRefused(String path) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            HttpResponse<String> response =
                    server.post(
                            path,
                            body(path, "\"max_tokens\": 32000")
                                    .replace("\"a\"", "\"" + "a".repeat(9000) + "\""));

            assertEquals(400, response.statusCode(), response.body());
            assertTrue(response.body().contains("1 in the completion"), response.body());
        }
    }
}
