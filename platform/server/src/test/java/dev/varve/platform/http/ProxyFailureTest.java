package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.http.upstream.UpstreamTimeouts;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** Streams through a proxy, keys, and other servers that do not do what they should. */
@Timeout(120)
class ProxyFailureTest {
    private static final String USAGE =
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n";
    private static final String DONE = "data: [DONE]\n\n";
    private static final UpstreamTimeouts QUICK =
            new UpstreamTimeouts(Duration.ofMinutes(1), Duration.ofMillis(300));

    private ScriptedUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = ScriptedUpstream.start();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    private static String chunk(String text) {
        return "data: {\"choices\":[{\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
    }

    private static JsonNode error(HttpResponse<String> response) {
        return ProxyFixture.json(response).get("error");
    }

    /** A client that reads lines as they come. */
    private static final class Reader implements AutoCloseable {
        private final RawClient client;
        private final BufferedReader lines;

        Reader(ProxyFixture proxy, JsonNode body) throws IOException {
            client = RawClient.of(proxy.server.uri().getPort());
            byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
            client.beginPost("/v1/chat/completions", bytes.length, "").send(bytes);
            lines =
                    new BufferedReader(
                            new InputStreamReader(client.stream(), StandardCharsets.UTF_8));
        }

        /** The next line of an event, or of a comment. */
        String next() throws IOException {
            String line = lines.readLine();
            while (line != null && !line.startsWith("data:") && !line.startsWith(":")) {
                line = lines.readLine();
            }
            return line;
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    /** Each piece is read before the next one is written: nothing waits for more. */
    @Test
    void streamEventsAreForwardedOneByOne() throws Exception {
        BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
        upstream.says(
                exchange -> {
                    OutputStream out = ScriptedUpstream.stream(exchange);
                    for (String next = take(pieces); !next.isEmpty(); next = take(pieces)) {
                        ScriptedUpstream.write(out, next);
                    }
                });
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target());
                Reader reader = new Reader(proxy, ProxyFixture.longBody().put("stream", true))) {
            pieces.add(chunk("one"));
            assertEquals(chunk("one").strip(), reader.next());
            pieces.add(": still here\n\n");
            assertEquals(": still here", reader.next());
            // In the middle of a character, and without its end.
            pieces.add("data: {\"choices\":[{\"delta\":");
            pieces.add("{\"content\":\"zwö\"}}]}\n\n");
            assertEquals(chunk("zwö").strip(), reader.next());
            pieces.add(USAGE + DONE);
            String usage = reader.next();
            assertTrue(usage.contains("\"mode\":\"whole\""), usage);
            assertTrue(usage.contains("\"effective_prompt_tokens\":5"), usage);
            assertEquals(DONE.strip(), reader.next());
            pieces.add("");
        }
    }

    private static String take(BlockingQueue<String> pieces) {
        return Await.next(pieces, "piece");
    }

    @Test
    void streamOfAnUncompressedPromptIsRelayedUnchanged() throws Exception {
        String stream = ": hello\r\nevent: a\r\n" + chunk("x") + USAGE + DONE;
        upstream.says(
                exchange -> ScriptedUpstream.write(ScriptedUpstream.stream(exchange), stream));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response =
                    proxy.chat(ProxyFixture.body("s", "Hi").put("stream", true));

            assertEquals(stream, response.body());
            assertTrue(
                    response.headers()
                            .firstValue("Content-Type")
                            .orElse("")
                            .startsWith("text/event-stream"));
        }
    }

    /** As others send them while a client waits. */
    @Test
    void blocksWithoutDataJoinTheNextEvent() throws Exception {
        String stream = ": PROCESSING\n\n:\r\n\r\n" + chunk("x") + "event: ping\n\n" + DONE;
        upstream.says(
                exchange -> ScriptedUpstream.write(ScriptedUpstream.stream(exchange), stream));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response =
                    proxy.chat(ProxyFixture.body("s", "Hi").put("stream", true));

            assertEquals(": PROCESSING\n:\n" + chunk("x") + DONE, response.body());
        }
    }

    @Test
    void brokenStreamEndsWithAnError() throws Exception {
        try (RudeServer rude =
                        new RudeServer(
                                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n"
                                        + chunked(chunk("one"))
                                        + "400\r\ndata: {\"ch");
                ProxyFixture proxy = ProxyFixture.of(rude.target())) {
            HttpResponse<String> response =
                    proxy.chat(ProxyFixture.body("s", "Hi").put("stream", true));

            assertEquals(200, response.statusCode());
            List<JsonNode> events = TestServer.events(response.body());
            assertEquals(2, events.size(), response.body());
            assertEquals("upstream_error", events.get(1).get("error").get("code").asString());
            assertFalse(response.body().contains("[DONE]"));
            Await.until(
                    "the failure is counted",
                    () ->
                            metrics(proxy)
                                    .contains("varve_upstream_failures_total{kind=\"broken\"} 1"));
        }
    }

    private static String metrics(ProxyFixture proxy) {
        try {
            return proxy.get("/metrics").body();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String chunked(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    /** A connection that just ends may have been cut. */
    @Test
    void streamWithoutDoneIsBroken() throws Exception {
        try (RudeServer rude =
                        new RudeServer(
                                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                                        + chunk("one"));
                ProxyFixture proxy = ProxyFixture.of(rude.target())) {
            String body = proxy.chat(ProxyFixture.body("s", "Hi").put("stream", true)).body();

            assertTrue(body.startsWith(chunk("one")), body);
            assertTrue(body.contains("upstream_error"), body);
        }
    }

    @Test
    void silentStreamEndsWithAnError() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        upstream.says(
                exchange -> {
                    ScriptedUpstream.write(ScriptedUpstream.stream(exchange), chunk("one"));
                    Await.latch(end);
                });
        // Long enough for the first event, however busy the machine is.
        UpstreamTimeouts timeouts =
                new UpstreamTimeouts(Duration.ofMinutes(1), Duration.ofSeconds(3));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target(), timeouts)) {
            String body = proxy.chat(ProxyFixture.body("s", "Hi").put("stream", true)).body();

            assertTrue(body.startsWith(chunk("one")), body);
            assertTrue(body.contains("upstream_timeout"), body);
        } finally {
            end.countDown();
        }
    }

    @Test
    void silentUpstreamIsAGatewayTimeout() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        upstream.says(exchange -> Await.latch(end));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target(), QUICK)) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.body("s", "Hi"));

            assertEquals(504, response.statusCode());
            assertEquals("upstream_timeout", error(response).get("code").asString());
            assertTrue(metrics(proxy).contains("{kind=\"timeout\"} 1"), metrics(proxy));
        } finally {
            end.countDown();
        }
    }

    @Test
    void refusedConnectionIsABadGateway() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        UpstreamServer target = UpstreamServer.of(URI.create("http://127.0.0.1:" + port + "/v1"));
        try (ProxyFixture proxy = ProxyFixture.of(target)) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.body("s", "Hi"));

            assertEquals(502, response.statusCode());
            assertEquals("upstream_error", error(response).get("code").asString());
            assertEquals("server_error", error(response).get("type").asString());
            assertEquals(502, proxy.get("/v1/models").statusCode());
            assertTrue(metrics(proxy).contains("{kind=\"unreachable\"} 2"), metrics(proxy));
        }
    }

    @Test
    void unknownHostIsABadGateway() throws Exception {
        UpstreamServer target = UpstreamServer.of(URI.create("http://no-such-host.invalid/v1"));
        try (ProxyFixture proxy = ProxyFixture.of(target)) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.body("s", "Hi"));

            assertEquals(502, response.statusCode(), response.body());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SSH-2.0-OpenSSH\r\n",
                "HTTP/1.1 200 OK\r\n"
                        + "Content-Type: application/json\r\n"
                        + "Content-Length: 9\r\n\r\n"
                        + "{\"a\":",
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
                "HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            })
    void invalidHttpResponseIsABadGateway(String sent) throws Exception {
        try (RudeServer rude = new RudeServer(sent);
                ProxyFixture proxy = ProxyFixture.of(rude.target())) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.body("s", "Hi"));

            assertEquals(502, response.statusCode(), response.body());
            assertEquals("upstream_error", error(response).get("code").asString());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 404, 429, 500, 503})
    void upstreamErrorsAreUnchanged(int status) throws Exception {
        String body = "{\"error\":{\"message\":\"own words\",\"code\":7}}";
        upstream.says(
                exchange -> {
                    exchange.getResponseHeaders().set("Retry-After", "17");
                    exchange.getResponseHeaders().set("X-RateLimit-Remaining-Tokens", "5");
                    exchange.getResponseHeaders().set("Set-Cookie", "a=b");
                    ScriptedUpstream.reply(exchange, status, body);
                });
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.longBody().put("stream", true));

            assertEquals(status, response.statusCode());
            assertEquals(body, response.body());
            assertEquals("17", response.headers().firstValue("Retry-After").orElse(""));
            assertEquals(
                    "5", response.headers().firstValue("X-RateLimit-Remaining-Tokens").orElse(""));
            assertTrue(response.headers().firstValue("Set-Cookie").isEmpty());
            String kind = "{kind=\"status_" + status / 100 + "xx\"} 1";
            assertTrue(metrics(proxy).contains(kind), metrics(proxy));
        }
    }

    /** The other server must not go on for somebody who left. */
    @Test
    void clientDisconnectEndsTheUpstreamStream() throws Exception {
        try (PatientServer patient =
                        new PatientServer(
                                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n"
                                        + chunked(chunk("one")));
                ProxyFixture proxy = ProxyFixture.of(patient.target())) {
            try (Reader reader =
                    new Reader(proxy, ProxyFixture.body("s", "Hi").put("stream", true))) {
                assertEquals(chunk("one").strip(), reader.next());
            }

            Await.result(patient.ended);
            Await.until(
                    "it is counted",
                    () -> metrics(proxy).contains("varve_client_disconnects_total 1"));
        }
    }

    @Test
    void clientDisconnectBeforeTheResponseEndsTheRequest() throws Exception {
        try (PatientServer patient = new PatientServer("");
                ProxyFixture proxy = ProxyFixture.of(patient.target())) {
            Reader reader = new Reader(proxy, ProxyFixture.body("s", "Hi"));
            Await.result(patient.begun);

            reader.close();

            Await.result(patient.ended);
        }
    }

    @Test
    void manyRequestsWaitConcurrently() throws Exception {
        int count = 300;
        CountDownLatch all = new CountDownLatch(count);
        upstream.says(
                exchange -> {
                    all.countDown();
                    Await.latch(all);
                    ScriptedUpstream.reply(exchange, 200, ScriptedUpstream.ANSWER);
                });
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                CompletableFuture<Integer> answer = new CompletableFuture<>();
                answers.add(answer);
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        answer.complete(
                                                proxy.chat(ProxyFixture.body("s", "Hi"))
                                                        .statusCode());
                                    } catch (Exception e) {
                                        answer.completeExceptionally(e);
                                    }
                                });
            }

            for (CompletableFuture<Integer> answer : answers) {
                assertEquals(200, Await.result(answer));
            }
        }
    }

    @Test
    void onlyTheProxyKeyIsForwarded() throws Exception {
        UpstreamServer keyed =
                new UpstreamServer(upstream.base(), Optional.of("sk-own"), Optional.empty());
        String[] theirs = {"Authorization", "Bearer theirs"};
        try (ProxyFixture proxy = ProxyFixture.of(keyed);
                ProxyFixture open = ProxyFixture.of(upstream.target());
                ProxyFixture locked =
                        ProxyFixture.of(locked(), upstream.target(), ProxyFixture.LIMITS)) {
            proxy.chat(ProxyFixture.body("s", "Hi"), theirs);
            assertEquals("Bearer sk-own", upstream.next().authorization());
            open.chat(ProxyFixture.body("s", "Hi"), theirs);
            assertEquals("Bearer theirs", upstream.next().authorization());
            open.chat(ProxyFixture.body("s", "Hi"));
            assertEquals("", upstream.next().authorization());
            assertEquals(200, locked.chat(ProxyFixture.body("s", "Hi"), theirs).statusCode());
            assertEquals("", upstream.next().authorization());
            assertEquals(401, locked.chat(ProxyFixture.body("s", "Hi")).statusCode());
            assertEquals(401, locked.get("/v1/models").statusCode());
            HttpResponse<String> large = locked.chat(ProxyFixture.longBody(), theirs);
            assertEquals(413, large.statusCode());
            assertTrue(upstream.isIdle());
        }
    }

    @Test
    void serverThatIsItsOwnUpstreamReportsTheLoop() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target());
                ProxyFixture other = ProxyFixture.of(upstream.target())) {
            proxy.chat(ProxyFixture.body("s", "Hi"));
            String via = upstream.next().via();

            HttpResponse<String> response = proxy.chat(ProxyFixture.body("s", "Hi"), "Via", via);

            assertEquals(508, response.statusCode(), response.body());
            assertEquals("upstream_loop", error(response).get("code").asString());
            assertEquals(200, other.chat(ProxyFixture.body("s", "Hi"), "Via", via).statusCode());
            upstream.next();
            assertTrue(upstream.isIdle());
        }
    }

    /** It is nobody's key, and must not come into the log by a failure. */
    @Test
    void unsendableKeyIsNotSent() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target());
                RawClient client = RawClient.of(proxy.server.uri().getPort())) {
            byte[] body = ProxyFixture.body("s", "Hi").toString().getBytes(StandardCharsets.UTF_8);
            client.send(
                    "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                            + body.length
                            + "\r\nAuthorization: Bearer schl\u00fcssel\u20ac\r\n\r\n");
            client.send(body);

            assertEquals("HTTP/1.1 200 OK", client.statusLine());
            assertEquals("", upstream.next().authorization());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain; charset=none-such",
                "text/plain; charset=",
                "nonsense",
                "text/event-streams; charset=\"",
            })
    void upstreamContentTypeIsForwarded(String type) throws Exception {
        upstream.says(
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Type", type);
                    byte[] answer = ScriptedUpstream.ANSWER.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                });
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.body("s", "Hi"));

            assertEquals(200, response.statusCode(), response.body());
            assertEquals(ScriptedUpstream.ANSWER, response.body());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"data:[DONE]\n\n", ": bye\ndata: [DONE]\n\n", "data: [DONE]\r\n\r\n"})
    void doneMarkerMayHaveAnotherSpelling(String end) throws Exception {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        try (RudeServer rude = new RudeServer(head + chunk("a") + end);
                ProxyFixture proxy = ProxyFixture.of(rude.target())) {
            assertEquals(chunk("a") + end, proxy.chat(ProxyFixture.body("s", "Hi")).body());
        }
    }

    private static HttpOptions locked() {
        return new HttpOptions(
                new ListenAddress("127.0.0.1", 0),
                new ClientAccessSettings(
                        Set.of("theirs"),
                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                        CorsAndHostOptions.NONE),
                IngressLimits.DEFAULT.withBodyBytes(1000));
    }

    @Test
    void runningRequestsFinishOnShutdown() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        upstream.says(
                exchange -> {
                    begun.countDown();
                    Await.latch(go);
                    ScriptedUpstream.reply(exchange, 200, ScriptedUpstream.ANSWER);
                });
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            CompletableFuture<Integer> running = CompletableFuture.supplyAsync(() -> status(proxy));
            Await.latch(begun);
            assertFalse(proxy.server.drain(Duration.ofMillis(1)));
            assertEquals(503, proxy.get("/health").statusCode());
            assertEquals(503, status(proxy));
            go.countDown();
            assertEquals(200, Await.result(running));
            assertTrue(proxy.server.drain(Duration.ofSeconds(30)));
        }
    }

    private static int status(ProxyFixture proxy) {
        try {
            return proxy.chat(ProxyFixture.body("s", "Hi")).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Sends a text to each client that connects, and closes the connection. */
    private static final class RudeServer implements AutoCloseable {
        private final ServerSocket socket =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        RudeServer(String sent) throws IOException {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                while (!socket.isClosed()) {
                                    try (Socket client = socket.accept()) {
                                        readHead(client);
                                        ScriptedUpstream.write(client.getOutputStream(), sent);
                                        // Not by a reset, which would take away what was sent.
                                        client.shutdownOutput();
                                        client.getInputStream()
                                                .transferTo(OutputStream.nullOutputStream());
                                    } catch (IOException e) {
                                        // The proxy closed first, or the test is over.
                                    }
                                }
                            });
        }

        static void readHead(Socket client) throws IOException {
            int matched = 0;
            for (int b = 0; matched < 4 && b >= 0; ) {
                b = client.getInputStream().read();
                matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
            }
        }

        UpstreamServer target() {
            return UpstreamServer.of(
                    URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/v1"));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Sends a text to one client, and records when the client disconnects. */
    private static final class PatientServer implements AutoCloseable {
        private final ServerSocket socket =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

        PatientServer(String sent) throws IOException {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try (Socket client = socket.accept()) {
                                    RudeServer.readHead(client);
                                    ScriptedUpstream.write(client.getOutputStream(), sent);
                                    begun.complete(true);
                                    client.getInputStream()
                                            .transferTo(OutputStream.nullOutputStream());
                                    ended.complete(true);
                                } catch (IOException e) {
                                    ended.complete(true);
                                }
                            });
        }

        UpstreamServer target() {
            return UpstreamServer.of(
                    URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/v1"));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
