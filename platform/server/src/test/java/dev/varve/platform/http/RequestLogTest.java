package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.log.LogFields;
import dev.varve.platform.log.LogValue;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Log lines and ids of requests, also of those that reach no route. */
@Timeout(60)
class RequestLogTest {
    private static final String KEY = "sk-secret-key";
    private static final String PROMPT = "whalesong";
    private static final String CHAT = "/v1/chat/completions";

    private final List<LogRecord> lines = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("dev.varve.http.request");
    private final Handler collector = collector();
    private final ScriptedEngine engine = new ScriptedEngine();

    private Handler collector() {
        Handler handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord line) {
                        lines.add(line);
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        handler.setLevel(Level.ALL);
        return handler;
    }

    @BeforeEach
    void collect() {
        logger.setLevel(Level.FINE);
        logger.addHandler(collector);
    }

    @AfterEach
    void stop() {
        logger.removeHandler(collector);
        logger.setLevel(null);
    }

    /** A line with its level and fields. */
    private record Line(Level level, Map<String, Object> fields) {
        String text(String name) {
            return String.valueOf(fields.get(name));
        }

        long number(String name) {
            return ((Number) fields.get(name)).longValue();
        }
    }

    private static Line parsed(LogRecord line) {
        Map<String, Object> fields = new HashMap<>();
        for (Object each : line.getParameters()) {
            switch (each) {
                case LogValue(String name, Object value) -> fields.put(name, value);
                case LogFields values -> fields.putAll(values.values());
                default -> throw new AssertionError(each);
            }
        }
        return new Line(line.getLevel(), fields);
    }

    /** Waits for the line of the request with this id: a response may arrive before it. */
    private Line line(String id) {
        return Await.value(
                        "the line of " + id,
                        () ->
                                lines.stream()
                                        .map(RequestLogTest::parsed)
                                        .filter(each -> each.text("request_id").equals(id))
                                        .findFirst(),
                        found -> found.isPresent())
                .orElseThrow();
    }

    private static String chat(String more) {
        return "{\"messages\": [{\"role\": \"user\", \"content\": \""
                + PROMPT
                + "\"}]"
                + more
                + "}";
    }

    private static String id(HttpResponse<?> response) {
        String id = response.headers().firstValue("x-request-id").orElse("");
        assertEquals(id, response.headers().firstValue("request-id").orElse(""));
        return id;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", \"stream\": true", ", \"n\": 2"})
    void responseIsLoggedWithItsTokensAndTimes(String more) throws Exception {
        engine.says(TestServer.ids("Hello"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response =
                    server.post(
                            CHAT,
                            chat(more),
                            "X-Request-Id",
                            "given-1",
                            "Authorization",
                            "Bearer " + KEY);
            assertEquals(200, response.statusCode(), response.body());
            assertEquals("given-1", id(response));
            Line line = line("given-1");

            int choices = more.contains("2") ? 2 : 1;
            assertEquals(Level.INFO, line.level());
            assertEquals("POST", line.text("method"));
            assertEquals(CHAT, line.text("route"));
            assertEquals(200, line.number("status"));
            assertEquals("127.0.0.1", line.text("client"));
            assertEquals("random", line.text("model"));
            assertEquals(
                    engine.requests.getFirst().prompt().length(), line.number("prompt_tokens"));
            assertEquals(0, line.number("cached_tokens"));
            assertEquals(
                    choices * TestServer.ids("Hello").length,
                    line.number("completion_tokens"),
                    line.toString());
            assertTrue(line.number("total_ms") >= line.number("first_token_ms"), line.toString());
            assertEquals("stop", line.text("finish_reason"));
            assertEquals(Set.of(), errors(line));
        }
        assertNoSecrets();
    }

    private static Set<String> errors(Line line) {
        Set<String> names = new java.util.HashSet<>(line.fields().keySet());
        names.removeIf(name -> !name.startsWith("error"));
        return names;
    }

    private void assertNoSecrets() {
        for (LogRecord line : lines) {
            String all = line.getMessage() + List.of(line.getParameters());
            assertFalse(all.contains(KEY) || all.contains(PROMPT), all);
        }
    }

    @Test
    void streamWhoseClientDisconnectsIsLoggedWithTheTokensSoFar() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        engine.says(TestServer.ids("Hello")).pausesBehind(2, never);
        try (TestServer server = TestServer.of(engine)) {
            String body = chat(", \"stream\": true");
            try (RawClient client = RawClient.of(server)) {
                client.send(
                        "POST "
                                + CHAT
                                + " HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: left\r\n"
                                + "Content-Length: "
                                + body.length()
                                + "\r\n\r\n"
                                + body);
                assertTrue(client.statusLine().contains("200"));
                engine.submitted.await();
            }
            Line line = line("left");

            assertEquals("disconnect", line.text("finish_reason"));
            assertEquals(
                    engine.requests.getFirst().prompt().length(), line.number("prompt_tokens"));
            assertTrue(line.number("completion_tokens") <= 2, line.toString());
            assertEquals(Set.of(), errors(line));
            never.countDown();
        }
        assertNoSecrets();
    }

    @Test
    void refusedFieldIsLoggedWithItsReason() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response =
                    server.post(CHAT, chat(", \"temperature\": \"hot\\nforged\""));
            assertEquals(400, response.statusCode());
            Line line = line(id(response));

            assertEquals(400, line.number("status"));
            assertEquals("invalid_request_error", line.text("error_type"));
            assertEquals(
                    TestServer.json(response).at("/error/message").asString(), line.text("error"));
        }
        assertNoSecrets();
    }

    @Test
    void bodyThatIsNoJsonIsNotQuoted() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response =
                    server.post(CHAT, chat("").replace("\"" + PROMPT, PROMPT));
            assertEquals(400, response.statusCode());
            line(id(response));
        }
        assertNoSecrets();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/nothing?key=" + KEY + ", other, 404",
        "DELETE, /v1/chat/completions, /v1/chat/completions, 405",
        "POST, /v1/chat/completions, /v1/chat/completions, 413",
        "GET, /v1/models, /v1/models, 401"
    })
    void refusalIsLoggedWithTheIdOfItsResponse(String method, String path, String route, int status)
            throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey(KEY + "-right"))) {
            String key = status == 401 ? KEY + "-wrong" : KEY + "-right";
            String[] headers = {"Authorization", "Bearer " + key, "X-Request-Id", "mine"};
            HttpResponse<String> response =
                    method.equals("POST")
                            ? server.post(path, chat("").replace(PROMPT, "x".repeat(2000)), headers)
                            : server.method(method, path, headers);
            assertEquals(status, response.statusCode(), response.body());
            assertEquals("mine", id(response));
            Line line = line("mine");

            assertEquals(Level.INFO, line.level());
            assertEquals(method, line.text("method"));
            assertEquals(route, line.text("route"));
            assertEquals(status, line.number("status"));
            assertFalse(line.text("error").isEmpty());
        }
        assertNoSecrets();
    }

    @Test
    void malformedRequestIsLoggedWithTheIdOfItsResponse() throws Exception {
        try (TestServer server = TestServer.of(engine);
                RawClient client = RawClient.of(server)) {
            String answer =
                    client.send("GET /v1/\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n").rest();
            assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
            Line line = line(answer.split("x-request-id: ")[1].split("\r\n")[0]);

            assertEquals(400, line.number("status"));
            assertEquals("other", line.text("route"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/metrics"})
    void probesAreLoggedAtDebug(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.get(path);

            assertEquals(Level.FINE, line(id(response)).level());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a\"b", "a/b", "{0}", "é", ""})
    void unsafeIdIsReplaced(String given) throws Exception {
        try (TestServer server = TestServer.of(engine);
                RawClient client = RawClient.of(server)) {
            String answer =
                    client.send(
                                    "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: "
                                            + given
                                            + "\r\nConnection: close\r\n\r\n")
                            .rest();
            String id = answer.split("x-request-id: ")[1].split("\r\n")[0];

            assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
            assertNotEquals(given, id);
            assertTrue(id.matches("[0-9a-f-]{36}"), id);
        }
    }

    @Test
    void idsUpToTheLimitAreTaken() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String longest = "Az0._:-".repeat(18) + "xy";

            assertEquals(128, longest.length());
            assertEquals(longest, id(server.get("/v1/models", "X-Request-Id", longest)));
            assertNotEquals(
                    longest + "z", id(server.get("/v1/models", "X-Request-Id", longest + "z")));
        }
    }
}
