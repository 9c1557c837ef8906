package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Every error has one form, whichever part of the server finds it. */
@Timeout(60)
class ErrorShapeTest {
    private static final String LOCAL = " HTTP/1.1\r\nHost: localhost\r\n";

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    static Stream<Arguments> badRequests() {
        String chunked =
                "POST /v1/completions" + LOCAL + "Transfer-Encoding: chunked\r\n\r\nsecret\r\n";
        return Stream.of(
                Arguments.of(414, "GET /" + "secret".repeat(20_000) + LOCAL + "\r\n"),
                Arguments.of(431, "GET /health" + LOCAL + "x: " + "secret".repeat(20_000) + "\r\n"),
                Arguments.of(400, "GET /health HTTP/1.1\r\nHost: secret:port\r\n\r\n"),
                Arguments.of(400, "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n"),
                Arguments.of(400, "GET /health HTTP/1.1\r\n\r\n"),
                Arguments.of(400, "GET /health" + LOCAL + "Host: localhost\r\n\r\n"),
                Arguments.of(400, "GET /health" + LOCAL + "secret\r\n\r\n"),
                Arguments.of(400, "GET /health" + LOCAL + "Content-Length: secret\r\n\r\n"),
                Arguments.of(400, "GET /%zz" + LOCAL + "\r\n"),
                Arguments.of(400, "secret\r\n\r\n"),
                Arguments.of(400, chunked),
                Arguments.of(404, "GET /nothing" + LOCAL + "Connection: close\r\n\r\n"),
                Arguments.of(405, "PUT /health" + LOCAL + "Connection: close\r\n\r\n"),
                Arguments.of(
                        403, "GET /props HTTP/1.1\r\nHost: e.example\r\nConnection: close\r\n\r\n"),
                Arguments.of(505, "GET /health HTTP/7.0\r\nHost: localhost\r\n\r\n"));
    }

    @ParameterizedTest
    @MethodSource("badRequests")
    void badRequestsHaveTheErrorFormat(int status, String request) throws Exception {
        try (TestServer server = TestServer.of(engine);
                RawClient client = RawClient.of(server)) {
            String answer = client.send(request).rest();

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
            String head = answer.substring(0, answer.indexOf("\r\n\r\n")).toLowerCase(Locale.ROOT);
            assertTrue(head.contains("\r\ncontent-type: application/json"), head);
            assertFalse(answer.contains("secret"), answer);
            JsonNode error = Json.MAPPER.readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
            assertFalse(error.at("/error/message").stringValue().isEmpty(), answer);
            assertTrue(error.at("/error/type").isString(), answer);
            assertTrue(error.at("/error").has("param"), answer);
            assertTrue(
                    error.at("/error/code").isString() || error.at("/error/code").isNull(), answer);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "INVALID_REQUEST, false",
        "CONTEXT_OVERFLOW, false",
        "OVERLOADED, ''",
        "UNAVAILABLE, ''"
    })
    void nonRetryableErrorsAreMarked(VarveException.Kind kind, String retry) throws Exception {
        engine.refuses(new VarveException(kind, "why"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer =
                    server.post("/v1/chat/completions", TestServer.chatBody(""));

            assertEquals(retry, answer.headers().firstValue("x-should-retry").orElse(""));
        }
    }

    /** Otherwise the client's next request on the connection meets its end. */
    @ParameterizedTest
    @CsvSource({
        "POST, /v1/messages, 'a: b', 401",
        "POST, /nothing, 'x-api-key: secret', 404",
        "PUT, /v1/messages, 'x-api-key: secret', 405",
        "POST, /v1/messages, 'x-api-key: secret|Content-Encoding: gzip', 415"
    })
    void unreadBodyClosesTheConnection(String method, String path, String headers, int status)
            throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"));
                RawClient client = RawClient.of(server)) {
            String head = method + " " + path + LOCAL + headers.replace("|", "\r\n") + "\r\n";
            String answer = client.send(head + "Content-Length: 500\r\n\r\n{").rest();

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
            assertTrue(answer.contains("Connection: close"), answer);
        }
    }

    /** The server would take an encoded body that the container does not decode as plain. */
    @ParameterizedTest
    @CsvSource({
        "POST, /v1/messages, 'Transfer-Encoding: gzip, chunked', 501",
        "POST, /v1/messages, 'Transfer-Encoding: gzip|Transfer-Encoding: chunked', 501",
        "GET, /v1/models, 'Transfer-Encoding: deflate, chunked', 501",
        "GET, /v1/models, 'Transfer-Encoding: Chunked', 200"
    })
    void unsupportedTransferCodingIsRefused(String method, String path, String headers, int status)
            throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"));
                RawClient client = RawClient.of(server)) {
            String head =
                    method
                            + " "
                            + path
                            + LOCAL
                            + "x-api-key: secret\r\n"
                            + headers.replace("|", "\r\n");
            String answer = client.send(head + "\r\n\r\n2\r\n{}\r\n0\r\n\r\n").rest();

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
            assertTrue(answer.contains("Connection: close"), answer);
        }
    }

    @Test
    void wrongKeyIsNotRetryable() throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"))) {
            HttpResponse<String> answer =
                    server.post("/v1/messages", TestServer.chatBody(""), "x-api-key", "wrong");

            assertEquals(401, answer.statusCode());
            assertEquals("false", answer.headers().firstValue("x-should-retry").orElse(""));
        }
    }

    @Test
    void errorCodeWhileLoadingIsAWord() throws Exception {
        try (TestServer server = TestServer.loading(HttpOptions.loopback())) {
            JsonNode error = TestServer.json(server.get("/health")).get("error");

            assertEquals("model_loading", error.get("code").stringValue());
            assertEquals("Loading model", error.get("message").stringValue());
            assertEquals("unavailable_error", error.get("type").stringValue());
        }
    }

    @Test
    void shutdownErrorHasACode() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertTrue(server.server.drain(Duration.ofSeconds(1)));

            HttpResponse<String> health = server.get("/health");
            HttpResponse<String> chat =
                    server.post("/v1/chat/completions", TestServer.chatBody(""));

            for (HttpResponse<String> answer : List.of(health, chat)) {
                assertEquals(503, answer.statusCode());
                JsonNode error = TestServer.json(answer).get("error");
                assertEquals("shutting_down", error.get("code").stringValue());
                assertEquals("server_error", error.get("type").stringValue());
                assertEquals("5", answer.headers().firstValue("retry-after").orElse(""));
            }
        }
    }
}
