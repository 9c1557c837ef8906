package dev.varve.bench.http.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

class ChatClientTest {
    private static final ChatRequest REQUEST = new ChatRequest("stone river", 3);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Deque<AutoCloseable> servers = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        http.shutdownNow();
        for (AutoCloseable server : servers) {
            server.close();
        }
    }

    @Test
    void responseIsReadToItsEnd() throws IOException {
        ScriptedServer server = start(ScriptedServer::stream);

        Answer answer = Await.result(client(server, Await.LIMIT).stream(REQUEST));

        assertEquals(3, answer.chunks().size());
        assertEquals(Optional.of(new Usage(11, 3)), answer.usage());
        assertTrue(answer.firstTokenNanos() > 0, answer.toString());
        assertTrue(answer.nanos() >= answer.firstTokenNanos(), answer.toString());
    }

    /** The next chunk is not written before the client has seen the one before. */
    @Test
    void chunksAreStampedOnArrival() throws IOException {
        CountDownLatch seen = new CountDownLatch(1);
        ScriptedServer server =
                start(
                        (exchange, _) -> {
                            try (OutputStream out = ScriptedServer.open(exchange)) {
                                ScriptedServer.write(out, ScriptedServer.text("a"));
                                Await.latch(seen);
                                ScriptedServer.write(out, ScriptedServer.text("b"));
                                ScriptedServer.write(out, ScriptedServer.DONE);
                            }
                        });

        Answer answer =
                Await.result(client(server, Await.LIMIT).stream(REQUEST, _ -> seen.countDown()));

        assertEquals(2, answer.chunks().size());
    }

    @Test
    void fragmentedArrivalChangesNothing() throws IOException {
        ScriptedServer server =
                start(
                        (exchange, request) -> {
                            try (OutputStream out = ScriptedServer.open(exchange)) {
                                String stream =
                                        ScriptedServer.text("größer")
                                                + ScriptedServer.usage(request, 1)
                                                + ScriptedServer.DONE;
                                for (int i = 0; i < stream.length(); i += 5) {
                                    ScriptedServer.write(
                                            out,
                                            stream.substring(i, Math.min(stream.length(), i + 5)));
                                }
                            }
                        });

        Answer answer = Await.result(client(server, Await.LIMIT).stream(REQUEST));

        assertEquals(1, answer.chunks().size());
        assertEquals(1, answer.tokens());
    }

    @Test
    void errorStatusIsReportedWithTheStartOfTheBody() throws IOException {
        ScriptedServer server =
                start((exchange, _) -> ScriptedServer.reply(exchange, 429, "{\"error\":\"full\"}"));

        String message = failure(server, Await.LIMIT).getMessage();

        assertEquals(
                server.url()
                        + "/v1/chat/completions: expected status 200, found 429:"
                        + " {\"error\":\"full\"}",
                message);
    }

    @Test
    void serverThatIsNotReadyIsReportedSeparately() throws IOException {
        ScriptedServer server =
                start((exchange, _) -> ScriptedServer.reply(exchange, 503, "loading"));

        ServerFailure failure = failure(server, Await.LIMIT);

        assertInstanceOf(ServerFailure.NotReady.class, failure);
        assertTrue(failure.getMessage().endsWith("found 503: loading"), failure.getMessage());
    }

    @Test
    void truncatedStreamIsAFailure() throws IOException {
        ScriptedServer server =
                start(
                        (exchange, _) -> {
                            exchange.sendResponseHeaders(200, 100_000);
                            ScriptedServer.write(
                                    exchange.getResponseBody(), ScriptedServer.text("a"));
                            exchange.close();
                        });

        String message = failure(server, Await.LIMIT).getMessage();

        assertTrue(message.contains("the stream was cut off after "), message);
    }

    @Test
    void streamWithoutDoneIsAFailure() throws IOException {
        ScriptedServer server =
                start(
                        (exchange, _) -> {
                            try (OutputStream out = ScriptedServer.open(exchange)) {
                                ScriptedServer.write(out, ScriptedServer.text("a"));
                            }
                        });

        String message = failure(server, Await.LIMIT).getMessage();

        assertTrue(message.contains("ended without [DONE] after 1 chunk"), message);
    }

    @Test
    void responseThatDoesNotEndTimesOut() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        ScriptedServer server =
                start(
                        (exchange, _) -> {
                            try (OutputStream out = ScriptedServer.open(exchange)) {
                                Await.latch(over);
                                ScriptedServer.write(out, ScriptedServer.DONE);
                            }
                        });

        String message = failure(server, Duration.ofMillis(100)).getMessage();
        over.countDown();

        assertTrue(message.contains("no end of the answer within"), message);
    }

    @Test
    void refusedConnectionIsNotReady() throws IOException {
        ScriptedServer server = start(ScriptedServer::stream);
        server.close();

        ServerFailure failure = failure(server, Await.LIMIT);

        assertInstanceOf(ServerFailure.NotReady.class, failure);
        assertTrue(failure.getMessage().contains(server.url()), failure.getMessage());
    }

    @Test
    void firstListedModelAndTheKeyAreSent() throws IOException {
        ScriptedServer server = start(ScriptedServer::stream);
        Target target = Target.parse(server.url() + "/v1/", Optional.of("secret"));

        ChatClient client = new ChatClient(http, target, Await.LIMIT).withFirstModel();
        Await.result(client.stream(REQUEST));

        ScriptedServer.Asked asked = server.asked().getFirst();
        assertEquals("toy", asked.body().path("model").stringValue());
        assertEquals("Bearer secret", asked.authorization());
        assertEquals(0, asked.body().path("temperature").intValue());
        assertTrue(asked.body().path("ignore_eos").booleanValue(), asked.toString());
        assertTrue(
                asked.body().path("stream_options").path("include_usage").booleanValue(),
                asked.toString());
    }

    @Test
    void severalFailuresAreCountedAndTheFirstIsReported() throws IOException {
        ScriptedServer server =
                start(
                        (exchange, request) -> {
                            if (request.path("max_tokens").intValue() > 3) {
                                ScriptedServer.reply(exchange, 400, "too long");
                            } else {
                                ScriptedServer.stream(exchange, request);
                            }
                        });
        ChatClient client = client(server, Await.LIMIT);
        ChatRequest refused = new ChatRequest("stone", 4);

        ServerFailure failure =
                assertThrows(
                        ServerFailure.class,
                        () ->
                                Replies.awaitAll(
                                        List.of(
                                                client.stream(REQUEST),
                                                client.stream(refused),
                                                client.stream(refused))));

        assertTrue(failure.getMessage().startsWith("2 of 3 requests failed"), failure.getMessage());
        assertTrue(failure.getMessage().endsWith("found 400: too long"), failure.getMessage());
    }

    private ServerFailure failure(ScriptedServer server, Duration limit) {
        return assertInstanceOf(
                ServerFailure.class, Await.failure(client(server, limit).stream(REQUEST)));
    }

    private ChatClient client(ScriptedServer server, Duration limit) {
        return new ChatClient(http, Target.parse(server.url(), Optional.empty()), limit);
    }

    private ScriptedServer start(ScriptedServer.Script script) throws IOException {
        ScriptedServer server = ScriptedServer.start(script);
        servers.push(server);
        return server;
    }
}
