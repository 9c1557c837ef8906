package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.Json;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A full queue, an end of the server and clients that leave, in each dialect. */
@Timeout(60)
class ApiFailureTest {
    private static String body(SpokenDialect dialect, boolean stream) {
        ObjectNode body = dialect.body("Why?");
        body.remove("tools");
        return Json.write(body.put("stream", stream));
    }

    private static void requireShape(SpokenDialect dialect, HttpResponse<String> refused) {
        JsonNode error = TestServer.json(refused);
        assertTrue(refused.headers().firstValue("Retry-After").isPresent(), "when to come again");
        if (dialect == SpokenDialect.OLLAMA) {
            assertTrue(error.get("error").isString(), refused.body());
            return;
        }
        boolean messages = dialect == SpokenDialect.MESSAGES;
        assertEquals(messages, error.path("type").asString("").equals("error"), refused.body());
        assertTrue(error.at("/error/message").isString(), refused.body());
        assertTrue(error.at("/error/type").isString(), refused.body());
    }

    @ParameterizedTest
    @EnumSource
    void fullQueueIsReported(SpokenDialect dialect) throws Exception {
        try (ScriptedEngine engine = new ScriptedEngine();
                TestServer server = SmallChat.server(engine)) {
            engine.refuses(
                    new VarveException(VarveException.Kind.OVERLOADED, "too many requests wait"));
            for (boolean stream : new boolean[] {false, true}) {
                HttpResponse<String> refused = server.post(dialect.path, body(dialect, stream));

                assertEquals(429, refused.statusCode());
                requireShape(dialect, refused);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void runningRequestFinishesDuringADrain(SpokenDialect dialect) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ScriptedEngine engine =
                        new ScriptedEngine()
                                .waitsFor(start)
                                .says(SmallChat.answer("so</think>done"));
                TestServer server = SmallChat.server(engine)) {
            CompletableFuture<HttpResponse<String>> running =
                    CompletableFuture.supplyAsync(() -> post(server, dialect));
            engine.submitted.await();

            server.server.drain(Duration.ofSeconds(1));
            HttpResponse<String> refused = server.post(dialect.path, body(dialect, true));
            start.countDown();

            assertEquals(503, refused.statusCode());
            requireShape(dialect, refused);
            assertEquals(
                    new SpokenDialect.Said("so", "done", List.of(), "stop"),
                    dialect.read(running.join(), true));
        }
    }

    private static HttpResponse<String> post(TestServer server, SpokenDialect dialect) {
        try {
            return server.post(dialect.path, body(dialect, true));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CHAT, true",
        "CHAT, false",
        "MESSAGES, true",
        "MESSAGES, false",
        "RESPONSES, true",
        "RESPONSES, false",
        "OLLAMA, true",
        "OLLAMA, false"
    })
    @ByDay({1, 4})
    void disconnectBeforeTheFirstTokenCancelsTheRequest(SpokenDialect dialect, boolean stream)
            throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ScriptedEngine engine =
                        new ScriptedEngine().waitsFor(start).says(SmallChat.answer("next"));
                TestServer server = SmallChat.server(engine)) {
            try (RawClient client = RawClient.of(server)) {
                send(client, dialect, stream);
                engine.submitted.await();
            }
            // Nothing was generated that could have met a closed connection.
            engine.cancelled.await();
            start.countDown();

            requireNextIsAnswered(server, dialect);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CHAT, true",
        "CHAT, false",
        "MESSAGES, true",
        "MESSAGES, false",
        "RESPONSES, true",
        "RESPONSES, false",
        "OLLAMA, true",
        "OLLAMA, false"
    })
    @ByDay({2, 6})
    void disconnectDuringAResponseCancelsTheRequest(SpokenDialect dialect, boolean stream)
            throws Exception {
        int token = SmallChat.answer("x")[0];
        try (PacedEngine engine = new PacedEngine(Duration.ofMillis(2), token);
                TestServer server = TestServer.of(SmallChat.served(engine))) {
            try (RawClient client = RawClient.of(server)) {
                send(client, dialect, stream);
                engine.saidAtLeast(20);
            }
            engine.ended.await();

            requireNextIsAnswered(server, dialect);
        }
    }

    private static void send(RawClient client, SpokenDialect dialect, boolean stream)
            throws Exception {
        ObjectNode body = (ObjectNode) Json.MAPPER.readTree(body(dialect, stream));
        String text = Json.write(body.put("max_tokens", 4000));
        client.beginPost(dialect.path, text.getBytes(StandardCharsets.UTF_8).length, text);
    }

    private static void requireNextIsAnswered(TestServer server, SpokenDialect dialect)
            throws Exception {
        ObjectNode body = (ObjectNode) Json.MAPPER.readTree(body(dialect, false));
        HttpResponse<String> next =
                server.post(dialect.path, Json.write(body.put("max_tokens", 4)));
        assertEquals(200, next.statusCode(), next.body());
        assertEquals("length", dialect.read(next, false).end());
    }
}
