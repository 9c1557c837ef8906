package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** {@code /requests}: the reports on running requests, and their cancellation. */
@Timeout(60)
class LiveRequestsTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String SECRET = "Mother's maiden name";
    private static final String ONE = "Bearer one";
    private static final String TWO = "Bearer two";
    private static final String OPERATOR = "Bearer op";

    private final CountDownLatch never = new CountDownLatch(1);
    private final ScriptedEngine engine = new ScriptedEngine().says(TestServer.ids("Hello there"));

    @AfterEach
    void stop() {
        engine.close();
    }

    private static HttpOptions keys(String operator, String... keys) {
        return new HttpOptions(
                ListenAddress.LOOPBACK,
                new ClientAccessSettings(
                                Set.of(keys),
                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                CorsAndHostOptions.NONE)
                        .withCache(
                                new CacheAccessSettings(
                                        CacheSharingPolicy.KEY,
                                        Optional.of(operator).filter(key -> !key.isEmpty()))),
                IngressLimits.DEFAULT);
    }

    private static String body(String route, boolean stream) {
        String more = ", \"max_tokens\": 20, \"stream\": " + stream + "}";
        return switch (route) {
            case "/v1/responses" -> "{\"input\": \"" + SECRET + "\", \"stream\": " + stream + "}";
            case "/v1/completions", "/completion" -> "{\"prompt\": \"" + SECRET + "\"" + more;
            default ->
                    "{\"messages\": [{\"role\": \"user\", \"content\": \"" + SECRET + "\"}]" + more;
        };
    }

    /** Sends a request, and waits until the engine has it. */
    private CompletableFuture<HttpResponse<String>> ask(
            TestServer server, String route, boolean stream, String... headers) throws Exception {
        CompletableFuture<HttpResponse<String>> answer = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                answer.complete(server.post(route, body(route, stream), headers));
                            } catch (Exception e) {
                                answer.completeExceptionally(e);
                            }
                        });
        engine.submitted.await();
        return answer;
    }

    private static List<JsonNode> list(TestServer server, String... headers) throws Exception {
        HttpResponse<String> response = server.get("/requests", headers);
        assertEquals(200, response.statusCode(), response.body());
        return List.copyOf(TestServer.json(response).get("requests").values());
    }

    private static JsonNode inState(TestServer server, String state, String... headers) {
        return Await.value(
                        state,
                        () -> {
                            try {
                                return list(server, headers);
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        },
                        all ->
                                all.size() == 1
                                        && all.getFirst().get("state").stringValue().equals(state))
                .getFirst();
    }

    private static int cancel(TestServer server, JsonNode request, String... headers)
            throws Exception {
        String path = "/requests/" + request.get("id").stringValue();
        return server.method("DELETE", path, headers).statusCode();
    }

    @Test
    void idleServerListsNoRequests() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            server.chat("");
            // Its client may have the answer before its handler has ended.
            Await.value("an empty list", () -> requests(server), List::isEmpty);

            assertEquals("{\"requests\":[]}", server.get("/requests").body());
        }
    }

    @Test
    void requestIsListedWithItsFigures() throws Exception {
        engine.pausesBehind(3, never);
        try (TestServer server = TestServer.of(engine)) {
            CompletableFuture<HttpResponse<String>> answer =
                    ask(server, CHAT, false, "x-request-id", "mine");
            JsonNode request =
                    Await.value(
                            "three tokens",
                            () -> inState(server, "decode"),
                            each -> each.get("generated_tokens").intValue() == 3);

            assertEquals("random", request.get("model").stringValue());
            assertEquals(CHAT, request.get("route").stringValue());
            assertEquals("mine", request.get("request_id").stringValue());
            assertTrue(request.get("own").booleanValue());
            assertTrue(request.get("may_cancel").booleanValue());
            assertTrue(request.get("age_seconds").doubleValue() < 60, request.toString());
            assertEquals(1, request.get("choices").intValue());
            int prompt = engine.requests.getFirst().prompt().length();
            assertEquals(prompt, request.get("prompt_tokens").intValue());
            assertEquals(prompt, request.get("computed_tokens").intValue());
            assertEquals(0, request.get("cached_tokens").intValue());
            // Two tokens behind the first one, in two seconds.
            assertEquals(1.0, request.get("tokens_per_second").doubleValue());
            assertTrue(request.get("prompt").stringValue().contains(SECRET), request.toString());
            never.countDown();
            assertEquals(200, answer.get().statusCode());
            // Its client may have the answer before its handler has ended.
            Await.value("an empty list", () -> requests(server), List::isEmpty);
        }
    }

    @Test
    void textIsHiddenFromOtherKeys() throws Exception {
        engine.waitsFor(never);
        try (TestServer server = TestServer.of(engine, keys("op", "one", "two"))) {
            CompletableFuture<HttpResponse<String>> answer =
                    ask(server, CHAT, true, "Authorization", ONE, "x-request-id", "my-thing");

            for (String other : List.of(TWO, OPERATOR)) {
                JsonNode seen = inState(server, "queued", "Authorization", other);
                assertFalse(seen.get("own").booleanValue(), other);
                assertEquals(other.equals(OPERATOR), seen.get("may_cancel").booleanValue());
                String text = seen.toString();
                assertFalse(text.contains("Mother") || text.contains("maiden"), text);
                assertFalse(text.contains("my-thing"), text);
                assertFalse(seen.has("prompt"), text);
            }
            JsonNode own = inState(server, "queued", "Authorization", ONE);
            assertTrue(own.get("prompt").stringValue().contains(SECRET), own.toString());
            assertTrue(own.get("scope").stringValue().matches("[0-9a-f]{12}"), own.toString());
            assertEquals(401, server.get("/requests").statusCode());
            assertEquals(401, server.get("/requests", "Authorization", "Bearer x").statusCode());

            assertEquals(200, cancel(server, own, "Authorization", ONE));
            answer.get();
        }
    }

    @Test
    void figuresAreShownToTheSameKeyAndTheOperatorOnly() throws Exception {
        List<String> figures =
                List.of(
                        "scope",
                        "choices",
                        "prompt_tokens",
                        "cached_tokens",
                        "computed_tokens",
                        "generated_tokens",
                        "tokens_per_second");
        engine.pausesBehind(3, never);
        try (TestServer server = TestServer.of(engine, keys("op", "one", "two"))) {
            CompletableFuture<HttpResponse<String>> answer =
                    ask(server, CHAT, false, "Authorization", ONE);

            for (String key : List.of(ONE, OPERATOR)) {
                JsonNode seen = inState(server, "decode", "Authorization", key);
                figures.forEach(figure -> assertTrue(seen.has(figure), figure + " for " + key));
                assertFalse(
                        TestServer.json(server.get("/requests", "Authorization", key))
                                .has("others"));
            }
            JsonNode hidden = inState(server, "decode", "Authorization", TWO);
            figures.forEach(figure -> assertFalse(hidden.has(figure), figure));
            assertEquals(
                    "{\"requests\":1,\"waiting\":0,\"running\":1}",
                    TestServer.json(server.get("/requests", "Authorization", TWO))
                            .get("others")
                            .toString());

            never.countDown();
            answer.get();
        }
    }

    static Stream<Arguments> dialects() {
        return Stream.of(CHAT, "/v1/messages", "/v1/responses", "/v1/completions", "/completion")
                .flatMap(
                        route ->
                                Stream.of(true, false)
                                        .flatMap(
                                                stream ->
                                                        Stream.of("queued", "decode")
                                                                .map(
                                                                        state ->
                                                                                Arguments.of(
                                                                                        route,
                                                                                        stream,
                                                                                        state))));
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void cancelledRequestEndsWithAnErrorOfItsApi(String route, boolean stream, String state)
            throws Exception {
        if (state.equals("queued")) {
            engine.waitsFor(never);
        } else {
            engine.pausesBehind(2, never);
        }
        try (TestServer server = TestServer.of(engine)) {
            CompletableFuture<HttpResponse<String>> answer = ask(server, route, stream);

            assertEquals(200, cancel(server, inState(server, state)));

            HttpResponse<String> response = answer.get();
            assertEquals(stream ? 200 : 499, response.statusCode(), response.body());
            if (!stream) {
                // Clients send a 503 again; this is not to be.
                assertEquals("false", response.headers().firstValue("x-should-retry").orElse(""));
                assertFalse(response.headers().firstValue("Retry-After").isPresent());
            }
            assertFalse(response.body().contains("[DONE]"), response.body());
            JsonNode error =
                    stream
                            ? TestServer.events(response.body()).getLast()
                            : TestServer.json(response);
            assertTrue(error.toString().contains("cancelled the request"), error.toString());
            if (route.equals("/v1/messages")) {
                assertEquals("error", error.get("type").stringValue(), error.toString());
            } else if (route.equals("/v1/responses") && stream) {
                assertEquals("response.failed", error.get("type").stringValue());
                assertEquals("failed", error.at("/response/status").stringValue());
            } else {
                assertEquals("request_cancelled", error.at("/error/code").stringValue());
            }
            Await.value("an empty list", () -> requests(server), List::isEmpty);
        }
    }

    private static List<JsonNode> requests(TestServer server) {
        try {
            return list(server);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Rows: client keys, operator key, key of the caller, status of the answer. */
    @ParameterizedTest
    @CsvSource({
        "one two, op, one, 200",
        "one two, op, two, 403",
        "one two, op, op, 200",
        "one two, '', two, 403",
        "one two, op, nobody, 401",
        "one two, op, '', 401",
        "one, '', one, 200",
    })
    void onlyTheSendingKeyAndTheOperatorCancel(
            String keys, String operator, String given, int status) throws Exception {
        engine.waitsFor(never);
        try (TestServer server = TestServer.of(engine, keys(operator, keys.split(" ")))) {
            CompletableFuture<HttpResponse<String>> answer =
                    ask(server, CHAT, true, "Authorization", ONE);
            JsonNode request = inState(server, "queued", "Authorization", ONE);

            String[] headers =
                    given.isEmpty()
                            ? new String[0]
                            : new String[] {"Authorization", "Bearer " + given};
            assertEquals(status, cancel(server, request, headers));

            never.countDown();
            assertEquals(status == 200, answer.get().body().contains("request_cancelled"), given);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/requests/req_0", "/requests/a%2Fb", "/requests/a/b"})
    void unknownRequestCannotBeCancelled(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(404, server.method("DELETE", path).statusCode());
        }
    }

    @Test
    void onlyDeleteCancels() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(405, server.get("/requests/req_0").statusCode());
            assertEquals(405, server.post("/requests/req_0", "").statusCode());
            assertEquals(405, server.method("DELETE", "/requests").statusCode());
        }
    }

    @Test
    void listIsFilteredByModel() throws Exception {
        engine.waitsFor(never);
        try (TestServer server = TestServer.of(engine)) {
            CompletableFuture<HttpResponse<String>> answer = ask(server, CHAT, false);
            inState(server, "queued");

            JsonNode of = TestServer.json(server.get("/requests?model=random"));

            assertEquals(1, of.get("requests").size());
            never.countDown();
            answer.get();
        }
    }

    @Test
    void resumableStreamIsCancelledToo() throws Exception {
        engine.pausesBehind(2, never);
        try (TestServer server = TestServer.of(engine)) {
            CompletableFuture<HttpResponse<String>> answer =
                    ask(server, CHAT, true, "x-varve-resumable", "1");

            assertEquals(200, cancel(server, inState(server, "decode")));

            String text = answer.get().body();
            assertTrue(text.contains("\"code\":\"request_cancelled\""), text);
            Await.value("an empty list", () -> requests(server), List::isEmpty);
        }
    }
}
