package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.resume.ResumePolicy;
import dev.varve.platform.intake.IngressLimits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Streams whose connection breaks, and clients that come back. */
@Timeout(120)
class ResumableStreamTest {
    private static final String[] RESUMABLE = {"x-varve-resumable", "1"};
    private static final String STREAMS = "/v1/streams/";

    private final ScriptedEngine engine =
            new ScriptedEngine().says(TestServer.ids("one two three"));

    @AfterEach
    void stop() {
        engine.close();
    }

    private static String body(String path) {
        String begin =
                switch (path) {
                    case "/v1/completions", "/completion" -> "{\"prompt\": \"a\"";
                    case "/v1/messages" ->
                            "{\"max_tokens\": 100, \"messages\": [{\"role\": \"user\", \"content\":"
                                    + " \"Hi\"}]";
                    case "/v1/responses" -> "{\"input\": \"Hi\"";
                    default -> "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]";
                };
        return begin + ", \"stream\": true}";
    }

    /** The events, without comments. */
    private static List<String> events(String stream) {
        List<String> events = new ArrayList<>();
        for (String block : stream.split("\n\n")) {
            String event = block.replaceAll("(?m)^:.*\n?", "");
            if (!event.isBlank()) {
                events.add(event);
            }
        }
        return events;
    }

    /** Without what differs from answer to answer. */
    private static List<String> plain(List<String> events) {
        return events.stream()
                .map(
                        event ->
                                event.replaceAll("(?m)^id: .*\n", "")
                                        .replaceAll("\"(id|item_id)\":\"[^\"]*\"", "\"$1\":\"\"")
                                        .replaceAll("\"(created|\\w+_at)\":\\d+", "\"$1\":0"))
                .toList();
    }

    private static String id(HttpResponse<String> stream) {
        return stream.headers().firstValue("x-varve-stream").orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/chat/completions",
                "/v1/messages",
                "/v1/responses",
                "/v1/completions",
                "/completion"
            })
    void partialReadAndResumeGiveTheWholeStream(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> usual = server.post(path, body(path));
            HttpResponse<String> stream = server.post(path, body(path), RESUMABLE);
            String id = id(stream);
            List<String> all = events(stream.body());

            assertTrue(usual.headers().firstValue("x-varve-stream").isEmpty());
            assertFalse(usual.body().contains("id: stream-"));
            assertEquals(plain(events(usual.body())), plain(all));
            assertTrue(all.size() > 3, stream.body());
            for (int read = 0; read < all.size(); read++) {
                HttpResponse<String> rest =
                        read % 2 == 0
                                ? server.get(STREAMS + id + "?after=" + read)
                                : server.get(STREAMS + id, "Last-Event-ID", id + ":" + read);

                assertEquals(200, rest.statusCode());
                assertEquals(id, id(rest));
                assertEquals(all.subList(read, all.size()), events(rest.body()));
                assertTrue(all.get(read).startsWith("id: " + id + ":" + (read + 1) + "\n"));
            }
            assertEquals(204, server.get(STREAMS + id + "?after=" + all.size()).statusCode());
        }
    }

    /** The connection breaks before the first token. */
    @Test
    void streamContinuesWithoutAReader() throws Exception {
        for (int read = 1; read <= 2; read++) {
            CountDownLatch start = new CountDownLatch(1);
            ScriptedEngine waiting =
                    new ScriptedEngine().says(TestServer.ids("one two three")).waitsFor(start);
            try (waiting;
                    TestServer server = TestServer.of(waiting)) {
                String id;
                try (RawClient client = RawClient.of(server)) {
                    id = begin(client, read);
                }
                start.countDown();

                List<String> rest =
                        events(server.get(STREAMS + id, "Last-Event-ID", id + ":" + read).body());
                List<String> all = events(server.get(STREAMS + id).body());

                assertEquals(all.subList(read, all.size()), rest);
                assertTrue(all.getLast().contains("message_stop"), rest.toString());
            }
        }
    }

    /** Begins a stream of Messages, whose first two events come at once, and reads some of it. */
    private static String begin(RawClient client, int events) throws IOException {
        String body = body("/v1/messages");
        client.send(
                "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nx-varve-resumable: 1\r\n"
                        + "Content-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(client.stream(), StandardCharsets.UTF_8));
        String id = "";
        for (String line = in.readLine(); ; line = in.readLine()) {
            if (line.startsWith("x-varve-stream: ")) {
                id = line.substring("x-varve-stream: ".length());
            }
            if (line.startsWith("id: " + id + ":" + events)) {
                return id;
            }
        }
    }

    @Test
    void laterReaderReplacesTheEarlierOne() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        engine.waitsFor(start);
        try (TestServer server = TestServer.of(engine);
                RawClient first = RawClient.of(server);
                RawClient second = RawClient.of(server)) {
            String id = begin(first, 1);
            second.send(
                    "GET "
                            + STREAMS
                            + id
                            + " HTTP/1.1\r\nHost: localhost\r\n"
                            + "Connection: close\r\n\r\n");
            String cut = first.rest();
            start.countDown();
            String whole = second.rest();

            assertFalse(cut.contains("message_stop") || cut.endsWith("\r\n0\r\n\r\n"), cut);
            assertTrue(whole.contains("message_start"), whole);
            assertTrue(whole.contains("message_stop"), whole);
        }
    }

    @Test
    void streamCanBeCancelled() throws Exception {
        engine.waitsFor(new CountDownLatch(1));
        try (TestServer server = TestServer.of(engine)) {
            String id;
            try (RawClient client = RawClient.of(server)) {
                id = begin(client, 2);
                assertEquals(405, server.post(STREAMS + id, "").statusCode());

                HttpResponse<String> answer = server.method("DELETE", STREAMS + id);

                assertEquals(200, answer.statusCode());
                assertTrue(TestServer.json(answer).get("deleted").booleanValue());
                assertTrue(engine.cancelled.await(30, TimeUnit.SECONDS));
            }
            assertEquals(404, server.method("DELETE", STREAMS + id).statusCode());
            assertEquals(404, server.get(STREAMS + id).statusCode());
        }
    }

    @ParameterizedTest
    @EnumSource(CacheSharingPolicy.class)
    void streamBelongsToItsKey(CacheSharingPolicy rule) throws Exception {
        HttpOptions options =
                new HttpOptions(
                        ListenAddress.LOOPBACK,
                        new ClientAccessSettings(
                                        Set.of("a", "b"),
                                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                        CorsAndHostOptions.NONE)
                                .withCache(new CacheAccessSettings(rule, Optional.empty())),
                        IngressLimits.DEFAULT);
        try (TestServer server = TestServer.of(engine, options)) {
            String path = "/v1/chat/completions";
            String id =
                    id(server.post(path, body(path), "x-varve-resumable", "1", "x-api-key", "a"));

            assertEquals(200, server.get(STREAMS + id, "x-api-key", "a").statusCode());
            assertEquals(404, server.get(STREAMS + id, "x-api-key", "b").statusCode());
            assertEquals(404, server.method("DELETE", STREAMS + id, "x-api-key", "b").statusCode());
            assertEquals(401, server.get(STREAMS + id).statusCode());
        }
    }

    @Test
    void unknownStreamIsReported() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String path = "/v1/chat/completions";
            String id = id(server.post(path, body(path), RESUMABLE));
            HttpResponse<String> unknown = server.get(STREAMS + "stream-1");

            assertEquals(404, unknown.statusCode());
            assertEquals(
                    "stream_not_found", TestServer.json(unknown).at("/error/code").stringValue());
            assertEquals(404, server.get(STREAMS).statusCode());
            assertEquals(400, server.get(STREAMS + id + "?after=x").statusCode());
            assertEquals(400, server.get(STREAMS + id + "?after=100000").statusCode());
            assertEquals(400, server.get(STREAMS + id, "Last-Event-ID", "other:1").statusCode());
        }
    }

    @Test
    void serverMayMakeAllStreamsResumable() throws Exception {
        HttpOptions options = HttpOptions.loopback().withResume(ResumePolicy.ALWAYS);
        try (TestServer server = TestServer.of(engine, options)) {
            String path = "/v1/chat/completions";

            assertTrue(
                    server.post(path, body(path))
                            .headers()
                            .firstValue("x-varve-stream")
                            .isPresent());
            assertTrue(
                    server.post(path, body(path), "x-varve-resumable", "0")
                            .headers()
                            .firstValue("x-varve-stream")
                            .isEmpty());
            assertTrue(
                    server.post(path, TestServer.chatBody(""), RESUMABLE)
                            .headers()
                            .firstValue("x-varve-stream")
                            .isEmpty());
        }
    }

    @Test
    void refusedRequestLeavesNoStream() throws Exception {
        engine.refuses(new VarveException(VarveException.Kind.OVERLOADED, "too many"));
        try (TestServer server = TestServer.of(engine)) {
            String path = "/v1/chat/completions";

            assertEquals(429, server.post(path, body(path), RESUMABLE).statusCode());
        }
    }
}
