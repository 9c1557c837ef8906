package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Requests to {@code /v1/responses} that are wrong, streamed or not. */
@Timeout(60)
class ResponsesRefusalsTest {
    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(4000).says(SmallChat.answer("ok"));
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    /** In the table a quote is {@code '}. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "responses-refused.csv",
            delimiter = '|',
            quoteCharacter = '`',
            maxCharsPerColumn = 10_000)
    void invalidFieldIsNamed(String fields, String param) throws Exception {
        String body = fields.strip().replace('\'', '"');
        String input = body.contains("\"input\": ") ? "" : "\"input\": \"Hi\", ";

        HttpResponse<String> answer =
                server.post("/v1/responses", "{" + input + "\"stream\": true, " + body + "}");

        assertEquals(400, answer.statusCode(), answer.body());
        JsonNode error = TestServer.json(answer).get("error");
        assertEquals(param.strip(), error.get("param").asString("none"), answer.body());
        assertEquals("invalid_request_error", error.get("type").stringValue());
        assertFalse(error.get("message").stringValue().isBlank());
        assertTrue(engine.requests.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "[]", "\"input\"", "{\"input\": ", "{\"input\": \"\\ud8\"}", "null"})
    void nonObjectIsRefused(String body) throws Exception {
        HttpResponse<String> answer = server.post("/v1/responses", body);

        assertEquals(400, answer.statusCode(), answer.body());
        assertEquals(
                "invalid_request_error", TestServer.json(answer).at("/error/type").stringValue());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tooLongPromptIsRefusedBeforeTheStreamStarts(boolean stream) throws Exception {
        HttpResponse<String> answer =
                server.post(
                        "/v1/responses",
                        "{\"stream\": " + stream + ", \"input\": \"" + "x".repeat(9000) + "\"}");

        assertEquals(400, answer.statusCode());
        assertEquals(
                "context_length_exceeded", TestServer.json(answer).at("/error/code").stringValue());
    }
}
