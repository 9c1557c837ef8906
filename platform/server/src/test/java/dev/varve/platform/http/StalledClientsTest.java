package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.intake.ClientTimeouts;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Clients that stop in the middle: they lose their request, and nobody else notices. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class StalledClientsTest {
    private static final String PROBE = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static final String MODELS = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /** Within it everything ends that does not wait for somebody else. */
    private static final Duration PROMPT = Duration.ofSeconds(30);

    private static final ClientTimeouts QUICK =
            new ClientTimeouts(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    4 << 10,
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(1));

    /** Limits that a test does not reach: the event that the test awaits comes earlier. */
    private static final ClientTimeouts PATIENT =
            new ClientTimeouts(
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(10),
                    1,
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(10));

    private final ScriptedEngine engine = new ScriptedEngine();
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {250, 400})
    void incompleteBodiesDoNotBlockOtherRequests(int count) throws Exception {
        engine.says(TestServer.ids("ok"));
        try (TestServer server = TestServer.of(engine)) {
            for (int i = 0; i < count; i++) {
                open(server).beginPost("/v1/completions", 1_000_000, "{\"prom");
            }

            // Each with a limit of its own, while the bodies stay where they are.
            assertEquals(200, server.get("/health").statusCode());
            assertEquals(200, server.get("/metrics").statusCode());
            assertEquals(
                    200, server.post("/v1/chat/completions", TestServer.chatBody("")).statusCode());
        }
    }

    @Test
    void incompleteBodyEndsAtItsTimeLimit() throws Exception {
        // Only the body is late, however long the server takes to read the headers.
        ClientTimeouts pace =
                new ClientTimeouts(
                        Duration.ofMinutes(1),
                        QUICK.bodyStart(),
                        QUICK.bodyBytesPerSecond(),
                        QUICK.body(),
                        Duration.ofMinutes(1));
        try (TestServer server = TestServer.of(engine, paced(pace))) {
            for (int i = 0; i < 250; i++) {
                open(server).beginPost("/v1/completions", 1_000_000, "{\"prom");
            }

            List<String> ends = new ArrayList<>();
            for (RawClient client : clients) {
                ends.add(client.rest());
            }

            assertTrue(
                    ends.stream().allMatch(StalledClientsTest::isTimeout),
                    () -> ends.stream().distinct().collect(Collectors.joining("\n")));
        }
    }

    @Test
    void fastBodyThatStallsIsEndedToo() throws Exception {
        ClientTimeouts pace =
                new ClientTimeouts(
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(1),
                        1,
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(20));
        try (TestServer server = TestServer.of(engine, paced(pace))) {
            String beginning = "{\"content\": \"" + "7".repeat(1_000_000);

            String end = open(server).beginPost("/tokenize", 2_000_000, beginning).rest();

            assertTrue(isTimeout(end), end);
        }
    }

    private static boolean isTimeout(String answer) {
        return answer.startsWith("HTTP/1.1 408")
                && answer.contains("Connection: close")
                && answer.contains("\"code\":\"request_timeout\"");
    }

    @Test
    void missingBodyEndsAtItsTimeLimit() throws Exception {
        try (TestServer server = TestServer.of(engine, paced(QUICK))) {
            String end = open(server).beginPost("/v1/completions", 1_000_000, "").rest();

            assertTrue(end.isEmpty() || isTimeout(end), end);
        }
    }

    @Test
    void truncatedBodyIsNoRequest() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String end = open(server).beginPost("/tokenize", 1000, "{\"con").endOfSending().rest();

            assertTrue(end.isEmpty() || end.startsWith("HTTP/1.1 400"), end);
        }
    }

    @Test
    void trickledBodyIsEndedToo() throws Exception {
        ClientTimeouts pace =
                new ClientTimeouts(
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(1),
                        1 << 20,
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(20));
        try (TestServer server = TestServer.of(engine, paced(pace))) {
            RawClient client = open(server).beginPost("/tokenize", 10_000_000, "{\"content\": \"");
            // Each answer takes its time, so this is far from a mebibyte a second.
            Thread trickle =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try (RawClient clock = RawClient.of(server)) {
                                            while (!clock.send(PROBE).statusLine().isEmpty()) {
                                                client.send("x");
                                            }
                                        } catch (IOException e) {
                                            // The server has closed the connection.
                                            return;
                                        }
                                    });

            String end = client.rest();

            assertTrue(isTimeout(end), end);
            assertTrue(trickle.join(PROMPT), "the server still reads");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /health HTT", "GET /health HTTP/1.1\r\nHost: localhost\r\nx"})
    void incompleteHeadersEndAtTheirTimeLimit(String beginning) throws Exception {
        try (TestServer server = TestServer.of(engine, paced(QUICK))) {
            RawClient client = open(server).send(beginning);

            assertEquals("", client.rest());
        }
    }

    @Test
    void connectionMayIdleBetweenRequests() throws Exception {
        try (TestServer server = TestServer.of(engine, paced(QUICK))) {
            RawClient client = open(server);
            client.send(PROBE);
            assertEquals("HTTP/1.1 200 OK", client.statusLine());

            // Others come and go at their time limits, this one stays.
            assertEquals("", open(server).rest());
            assertEquals("", open(server).rest());
            client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

            assertTrue(client.rest().contains("\"ok\""), "the connection was closed");
        }
    }

    @Test
    @Tag("nightly")
    void clientThatStopsReadingLosesItsResponse() throws Exception {
        try (TestServer server = TestServer.of(engine, paced(QUICK))) {
            String ids = (TestServer.id("<|im_end|>") + ",").repeat(1_000_000);
            String body = "{\"tokens\": [" + ids + "1]}";
            RawClient client = RawClient.withSmallWindow(server);
            clients.add(client);
            client.beginPost("/detokenize", body.length(), body);
            // It begins to come, and nobody reads on while the others come and go.
            assertEquals("HTTP/1.1 200 OK", client.statusLine());
            for (int i = 0; i < 4; i++) {
                assertEquals("", open(server).rest());
            }

            String end = client.rest();

            assertFalse(end.endsWith("}"), "the whole answer of " + end.length() + " came");
        }
    }

    @Test
    void connectionsPerClientAreLimitedExceptForHealth() throws Exception {
        HttpOptions options =
                HttpOptions.loopback()
                        .withLimits(
                                IngressLimits.DEFAULT
                                        .withConnectionsPerClient(3)
                                        .withTimeouts(PATIENT));
        try (TestServer server = TestServer.of(engine, options)) {
            for (int i = 0; i < 3; i++) {
                RawClient client = open(server).send(PROBE);
                assertEquals("HTTP/1.1 200 OK", client.statusLine());
            }

            for (int i = 0; i < 3; i++) {
                String answer = open(server).send(PROBE).rest();
                assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
                assertTrue(answer.contains("Connection: close"), answer);
            }
            String refusal =
                    open(server).send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n").rest();
            assertTrue(refusal.startsWith("HTTP/1.1 503"), refusal);
            assertTrue(refusal.contains("(maxConnections)"), refusal);
            for (int i = 0; i < 40; i++) {
                open(server);
            }
            assertEquals("", clients.getLast().rest(), "40 more are held");
            for (RawClient client : clients) {
                client.close();
            }
            Await.until(
                    "closed connections count no more",
                    () -> probe(server, MODELS).startsWith("HTTP/1.1 200"));
        }
    }

    private String probe(TestServer server, String request) {
        try (RawClient client = RawClient.of(server)) {
            return client.send(request).statusLine();
        } catch (IOException e) {
            return "";
        }
    }

    private RawClient open(TestServer server) throws IOException {
        RawClient client = RawClient.of(server);
        clients.add(client);
        return client;
    }

    private static HttpOptions paced(ClientTimeouts pace) {
        return HttpOptions.loopback().withLimits(IngressLimits.DEFAULT.withTimeouts(pace));
    }
}
