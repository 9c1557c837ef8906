package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

@Timeout(60)
class HttpServerTest {
    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void healthReportsLoadingBeforeTheModelIsReady() throws Exception {
        try (TestServer server = TestServer.loading(HttpOptions.loopback())) {
            HttpResponse<String> health = server.get("/health");

            assertEquals(503, health.statusCode());
            assertEquals(
                    "Loading model", TestServer.json(health).at("/error/message").stringValue());
            assertEquals(200, server.get("/livez").statusCode());
            assertEquals(503, server.post("/v1/completions", "{}").statusCode());
        }
    }

    @Test
    void drainingRefusesNewRequests() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(200, server.get("/health").statusCode());

            assertTrue(server.server.drain(Duration.ofSeconds(1)));

            assertEquals(503, server.get("/health").statusCode());
            assertEquals(
                    503, server.post("/v1/chat/completions", TestServer.chatBody("")).statusCode());
        }
    }

    @Test
    void unknownPathsAndMethodsAreReported() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(404, server.get("/v2/nothing").statusCode());
            HttpResponse<String> wrong = server.get("/v1/chat/completions");
            assertEquals(405, wrong.statusCode());
            assertEquals("POST, OPTIONS", wrong.headers().firstValue("allow").orElse(""));
            assertEquals(
                    "random",
                    TestServer.json(server.get("/v1/models/other")).get("id").stringValue());
            assertEquals(
                    "random",
                    TestServer.json(server.get("/v1/models?x=1")).at("/data/0/id").stringValue());
        }
    }

    @Test
    void keyIsRequiredExceptForHealth() throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"))) {
            assertEquals(200, server.get("/health").statusCode());
            assertEquals(401, server.get("/v1/models").statusCode());
            assertEquals(
                    401, server.get("/v1/models", "Authorization", "Bearer wrong").statusCode());
            assertEquals(
                    200, server.get("/v1/models", "Authorization", "Bearer secret").statusCode());
            assertEquals(200, server.get("/v1/models", "x-api-key", "secret").statusCode());
        }
    }

    @Test
    void onlyAllowedOriginsMayRead() throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"))) {
            HttpResponse<String> allowed =
                    server.method("OPTIONS", "/v1/models", "Origin", "http://page.example");
            HttpResponse<String> other =
                    server.method("OPTIONS", "/v1/models", "Origin", "http://evil.example");

            assertEquals(204, allowed.statusCode());
            assertEquals(
                    "http://page.example",
                    allowed.headers().firstValue("access-control-allow-origin").orElse(""));
            assertTrue(other.headers().firstValue("access-control-allow-origin").isEmpty());
        }
    }

    @Test
    void bodiesAndHeadersHaveLimits() throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"))) {
            String large = "{\"prompt\": \"" + "x".repeat(2000) + "\"}";

            assertEquals(
                    413, server.post("/v1/completions", large, "x-api-key", "secret").statusCode());
            assertEquals(431, server.get("/health", "x-long", "y".repeat(100_000)).statusCode());
        }
    }

    @Test
    void withoutAKeyOnlyLoopbackIsServed() {
        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                new HttpOptions(
                                        new ListenAddress("0.0.0.0", 0),
                                        new ClientAccessSettings(
                                                Set.of(),
                                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                                CorsAndHostOptions.NONE),
                                        IngressLimits.DEFAULT));

        assertTrue(refusal.getMessage().contains("{setting:insecure}"), refusal.getMessage());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void unspecifiedAddressIsNotLoopback(String host) {
        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                new HttpOptions(
                                        new ListenAddress(host, 0),
                                        new ClientAccessSettings(
                                                Set.of(),
                                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                                CorsAndHostOptions.NONE),
                                        IngressLimits.DEFAULT));

        assertTrue(refusal.getMessage().contains("{setting:host}"), refusal.getMessage());
    }

    @Test
    void portInUseIsNamed() {
        try (TestServer server = TestServer.of(engine)) {
            int port = server.server.uri().getPort();
            VarveException refusal =
                    assertThrows(
                            VarveException.class,
                            () ->
                                    HttpServer.start(
                                            new HttpOptions(
                                                    new ListenAddress("127.0.0.1", port),
                                                    new ClientAccessSettings(
                                                            Set.of(),
                                                            ClientAccessSettings.KeylessListening
                                                                    .LOOPBACK_ONLY,
                                                            CorsAndHostOptions.NONE),
                                                    IngressLimits.DEFAULT)));

            assertTrue(refusal.getMessage().contains("127.0.0.1:" + port), refusal.getMessage());
        }
    }

    @Test
    void waitingStreamIsKeptAlive() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        engine.says(TestServer.ids("a")).waitsFor(start);
        try (TestServer server = TestServer.of(engine);
                Socket socket = send(server, "\"stream\": true")) {
            BufferedReader in = reader(socket);
            int comments = 0;
            for (String line = in.readLine(); comments < 2; line = in.readLine()) {
                comments += line.equals(": keep-alive") ? 1 : 0;
            }
            start.countDown();
            String line = in.readLine();
            while (!line.equals("data: [DONE]")) {
                line = in.readLine();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientDisconnectDuringAWaitIsDetected(boolean stream) throws Exception {
        engine.waitsFor(new CountDownLatch(1));
        try (TestServer server = TestServer.of(engine)) {
            Socket socket = send(server, "\"stream\": " + stream);
            assertTrue(engine.submitted.await(10, TimeUnit.SECONDS));

            socket.close();

            assertTrue(engine.cancelled.await(30, TimeUnit.SECONDS), "the generation goes on");
        }
    }

    @Test
    void slowReaderLosesItsRequestAndBlocksNoOther() throws Exception {
        int[] endless = new int[2_000_000];
        java.util.Arrays.fill(endless, TestServer.ids("x")[0]);
        engine.says(endless).hasContext(endless.length + 1000);
        HttpOptions options = HttpOptions.loopback();
        try (TestServer server = TestServer.of(engine, options);
                Socket socket =
                        send(
                                server,
                                "\"stream\": true, \"ignore_eos\": true, \"max_tokens\":"
                                        + " 2000000")) {
            assertTrue(
                    engine.cancelled.await(120, TimeUnit.SECONDS),
                    "the engine still fills the queue");
            assertTrue(socket.isConnected());
        }
    }

    @Test
    void modelFactsRespondWhileTheEngineIsBusy() throws Exception {
        engine.waitsFor(new CountDownLatch(1));
        try (TestServer server = TestServer.of(engine);
                Socket socket = send(server, "\"stream\": true")) {
            assertTrue(socket.isConnected() && engine.submitted.await(10, TimeUnit.SECONDS));

            assertTrue(server.get("/metrics").body().contains("varve_requests_running"));
            assertEquals(
                    ScriptedEngine.CONTEXT,
                    TestServer.json(server.get("/props"))
                            .at("/default_generation_settings/n_ctx")
                            .intValue());
        }
    }

    @Test
    void tokenizeAndDetokenizeRoundTrip() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String tokens =
                    TestServer.json(server.post("/tokenize", "{\"content\": \"Hé <|im_end|>\"}"))
                            .get("tokens")
                            .toString();

            assertEquals(
                    "Hé <|im_end|>",
                    TestServer.json(server.post("/detokenize", "{\"tokens\": " + tokens + "}"))
                            .get("content")
                            .stringValue());
            assertEquals(400, server.post("/detokenize", "{\"tokens\": [-1]}").statusCode());
        }
    }

    @Test
    void completionsAcceptTextsAndTokens() throws Exception {
        engine.says(TestServer.ids("ok"));
        try (TestServer server = TestServer.of(engine)) {
            JsonNode two =
                    TestServer.json(
                            server.post(
                                    "/v1/completions",
                                    "{\"prompt\": [\"a\", \"b\"], \"echo\": true, \"logprobs\":"
                                            + " 1}"));
            JsonNode ids =
                    TestServer.json(
                            server.post(
                                    "/v1/completions",
                                    "{\"prompt\": "
                                            + Arrays.toString(TestServer.ids("b"))
                                            + ", \"echo\": true}"));
            TestServer.json(server.post("/v1/completions", "{\"prompt\": [5, 6, 7]}"));

            assertEquals("bok", ids.at("/choices/0/text").stringValue());
            assertEquals("aok", two.at("/choices/0/text").stringValue());
            assertEquals("bok", two.at("/choices/1/text").stringValue());
            assertEquals(1, two.at("/choices/0/logprobs/text_offset/0").intValue());
            assertArrayEquals(new int[] {5, 6, 7}, engine.requests.getLast().prompt().tokens());
            assertEquals(16, engine.requests.getLast().ending().maxTokens());
            assertEquals(
                    400,
                    server.post("/v1/completions", "{\"prompt\": \"a\", \"suffix\": \"b\"}")
                            .statusCode());
            assertEquals(400, server.post("/v1/completions", "{\"prompt\": \"\"}").statusCode());
        }
    }

    @Test
    void logprobsOfNoTokensAreEmptyLists() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            JsonNode logprobs =
                    TestServer.json(
                                    server.post(
                                            "/v1/completions",
                                            "{\"prompt\": \"a\", \"logprobs\": 1}"))
                            .at("/choices/0/logprobs");

            for (String name : List.of("tokens", "token_logprobs", "text_offset", "top_logprobs")) {
                assertTrue(
                        logprobs.path(name).isArray() && logprobs.get(name).isEmpty(),
                        logprobs.toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n", "-1\r\n{}\r\n"})
    void brokenChunkedBodyIsAClientError(String body) throws Exception {
        try (TestServer server = TestServer.of(engine);
                Socket socket = new Socket("127.0.0.1", server.server.uri().getPort())) {
            socket.getOutputStream()
                    .write(
                            ("POST /v1/chat/completions HTTP/1.1\r\n"
                                            + "Host: localhost\r\n"
                                            + "Transfer-Encoding: chunked\r\n\r\n"
                                            + body)
                                    .getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();

            String answer = reader(socket).readLine();

            assertTrue(String.valueOf(answer).startsWith("HTTP/1.1 400"), answer);
            assertTrue(
                    server.get("/metrics").body().contains("varve_client_disconnects_total 0"),
                    "counted as a client that left");
        }
    }

    /** Mutations of a good body: an answer or a 400, never a server error. */
    @Test
    void damagedBodiesAreClientErrors() throws Exception {
        engine.says(TestServer.ids("ok"));
        byte[] good =
                TestServer.chatBody(
                                "\"stop\": [\"x\"], \"n\": 1, \"logit_bias\": {\"5\": 1},"
                                        + " \"stream\": false")
                        .getBytes(StandardCharsets.UTF_8);
        Random random = new Random(11);
        try (TestServer server = TestServer.of(engine)) {
            for (int i = 0; i < Effort.of(400, 2000); i++) {
                byte[] bad = good.clone();
                IntStream.range(0, 1 + random.nextInt(4))
                        .forEach(
                                change ->
                                        bad[random.nextInt(bad.length)] =
                                                (byte)
                                                        " {}[]\",:0-9eEtfn\\x"
                                                                .charAt(random.nextInt(18)));
                String body =
                        new String(bad, 0, 1 + random.nextInt(bad.length), StandardCharsets.UTF_8);
                HttpResponse<String> response =
                        server.post(
                                "/v1/chat/completions",
                                random.nextBoolean()
                                        ? body
                                        : new String(bad, StandardCharsets.UTF_8));
                assertTrue(
                        response.statusCode() == 200 || response.statusCode() == 400,
                        response.statusCode() + " for mutation " + i + ": " + response.body());
            }
            assertNotEquals(503, server.get("/health").statusCode());
        }
    }

    private static Socket send(TestServer server, String fields) throws Exception {
        byte[] body = TestServer.chatBody(fields).getBytes(StandardCharsets.UTF_8);
        Socket socket = new Socket("127.0.0.1", server.server.uri().getPort());
        socket.setReceiveBufferSize(1 << 12);
        String head =
                "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                        + body.length
                        + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().write(body);
        socket.getOutputStream().flush();
        return socket;
    }

    private static BufferedReader reader(Socket socket) throws Exception {
        return new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The answers to one key must not show the requests of another key. */
    @Test
    void requestsOfAnotherKeyAreInAnotherScope() throws Exception {
        ScriptedEngine engine = new ScriptedEngine().says(1);
        HttpOptions options =
                new HttpOptions(
                        new ListenAddress("127.0.0.1", 0),
                        new ClientAccessSettings(
                                Set.of("alice", "bob"),
                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                CorsAndHostOptions.NONE),
                        IngressLimits.DEFAULT);
        try (TestServer server = TestServer.of(engine, options)) {
            String body = "{\"prompt\": \"x\", \"max_tokens\": 1}";
            for (String key : List.of("alice", "bob", "alice")) {
                assertEquals(
                        200, server.post("/v1/completions", body, "x-api-key", key).statusCode());
            }

            List<CacheScope> scopes =
                    engine.requests.stream().map(request -> request.prompt().scope()).toList();
            assertEquals(scopes.get(0), scopes.get(2));
            assertNotEquals(scopes.get(0), scopes.get(1));
            assertFalse(
                    scopes.getFirst().name().contains("alice"), "a scope does not show its key");
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 401", "true, 200"})
    void metricsMayBePublicWithoutAKey(boolean open, int status) throws Exception {
        ClientAccessSettings keys =
                new ClientAccessSettings(
                        Set.of("alice"),
                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                        CorsAndHostOptions.NONE);
        HttpOptions options =
                new HttpOptions(
                        new ListenAddress("127.0.0.1", 0),
                        open ? keys.withOpenMetrics() : keys,
                        IngressLimits.DEFAULT);
        try (TestServer server = TestServer.of(engine, options)) {
            assertEquals(status, server.get("/metrics").statusCode());
            assertEquals(401, server.get("/v1/models").statusCode());
            assertEquals(401, server.get("/status").statusCode());
        }
    }
}
