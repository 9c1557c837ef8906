package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/** Fields and messages that OpenAI refuses. */
@Timeout(60)
class RefusedFieldsTest {
    private final ScriptedEngine engine = new ScriptedEngine().says(TestServer.ids("ok"));

    @AfterEach
    void stop() {
        engine.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"\"stop\": MANY | stop", "\"stop\": 5 | stop"})
    void stopsAreOneToSixteenTexts(String fields, String param) throws Exception {
        String many = "[" + "\"a\", ".repeat(16) + "\"a\"]";
        assertRefused(param, TestServer.chatBody(fields.replace("MANY", many)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"stop\": null",
                "\"stop\": []",
                "\"stop\": \"\"",
                "\"stop_sequences\": [\"\", \"a\"]",
                "\"stop\": [\"a\", \"b\", \"c\", \"d\", \"e\"]",
                "\"stop_sequences\": [\"a\", \"b\", \"c\", \"d\", \"e\"]"
            })
    void otherStopsAreAccepted(String fields) throws Exception {
        assertTaken(TestServer.chatBody(fields));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"role\": \"user\"}",
                "{\"role\": \"user\", \"content\": null}",
                "{\"role\": \"system\"}",
                "{\"role\": \"developer\"}",
                "{\"role\": \"assistant\"}",
                "{\"role\": \"assistant\", \"content\": null}",
                "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": null}"
            })
    void messageWithoutContentIsRefused(String message) throws Exception {
        assertRefused("messages[0].content", "{\"messages\": [" + message + "]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"role\": \"user\", \"content\": \"\"}",
                "{\"role\": \"assistant\", \"content\": \"\"}",
                "{\"role\": \"tool\", \"tool_call_id\": \"a\"}",
                "{\"role\": \"tool\", \"tool_call_id\": \"a\", \"content\": null}",
                "{\"role\": \"assistant\", \"content\": null, \"refusal\": \"no\"}",
                "{\"role\": \"assistant\", \"content\": null, \"reasoning_content\": \"hm\"}",
                "{\"role\": \"assistant\", \"tool_calls\": [{\"id\": \"a\", \"type\": \"function\","
                        + " \"function\": {\"name\": \"f\", \"arguments\": \"{}\"}}]}"
            })
    void messageWithContentOrEmptyTextIsAccepted(String message) throws Exception {
        assertTaken("{\"messages\": [" + message + "]}");
    }

    private void assertRefused(String param, String body) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer = server.post("/v1/chat/completions", body);

            assertEquals(400, answer.statusCode(), answer.body());
            assertEquals(param, TestServer.json(answer).at("/error/param").stringValue());
            assertTrue(engine.requests.isEmpty());
        }
    }

    private void assertTaken(String body) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer = server.post("/v1/chat/completions", body);

            assertEquals(200, answer.statusCode(), answer.body());
        }
    }
}
