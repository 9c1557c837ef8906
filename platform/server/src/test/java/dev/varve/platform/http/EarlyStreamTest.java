package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.serving.IdleTtl;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import tools.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Streams whose model is loaded, or whose prompt is made shorter, for longer than clients wait. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class EarlyStreamTest {
    private static final String LONG = "Nothing happened on that day. ".repeat(300);
    private static final List<String> PATHS =
            List.of("/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/completions");

    private final HttpClient client = HttpClient.newHttpClient();

    /** A stream as far as it was read. */
    private record Stream(HttpResponse<?> response, BufferedReader lines, List<String> read) {
        void readTo(String text) throws IOException {
            while (read.isEmpty() || !read.getLast().contains(text)) {
                read.add(lines.readLine());
            }
        }

        String rest() throws IOException {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                read.add(line);
            }
            return String.join("\n", read);
        }
    }

    private static String body(String path, String content, boolean stream) {
        return "{\"model\": \"gpt-of-any-kind\", \"stream\": "
                + stream
                + ", \"max_tokens\": 9, "
                + switch (path) {
                    case "/v1/responses" -> "\"input\": \"" + content + "\"}";
                    case "/v1/completions" -> "\"prompt\": \"" + content + "\"}";
                    default ->
                            "\"messages\": [{\"role\": \"user\", \"content\": \""
                                    + content
                                    + "\"}, {\"role\": \"user\", \"content\": \"Why?\"}]}";
                };
    }

    private CompletableFuture<Stream> open(TestServer server, String path, String content) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.server.uri() + path))
                        .POST(HttpRequest.BodyPublishers.ofString(body(path, content, true)))
                        .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
                .thenApply(
                        response ->
                                new Stream(
                                        response,
                                        new BufferedReader(
                                                new InputStreamReader(
                                                        response.body(), StandardCharsets.UTF_8)),
                                        new ArrayList<>()));
    }

    private List<Stream> openAll(TestServer server, List<String> paths, String content) {
        return paths.stream().map(path -> open(server, path, content)).toList().stream()
                .map(CompletableFuture::join)
                .toList();
    }

    private static void readSigns(List<Stream> streams, List<String> paths) throws IOException {
        for (int i = 0; i < paths.size(); i++) {
            streams.get(i)
                    .readTo(
                            switch (paths.get(i)) {
                                case "/v1/responses" -> "\"response.in_progress\"";
                                case "/v1/messages" -> "\"ping\"";
                                default -> ": waiting";
                            });
        }
    }

    private static void requireComplete(String path, String stream) {
        List<JsonNode> events = TestServer.events(stream);
        switch (path) {
            case "/v1/responses" -> requireOneResponse(events, "response.completed");
            case "/v1/messages" -> {
                assertEquals("ping", type(events.getFirst()));
                assertEquals("message_start", type(events.get(1)));
                assertEquals("message_stop", type(events.getLast()));
            }
            default -> assertTrue(stream.contains("data: [DONE]"), stream);
        }
        assertTrue(stream.contains("slow"), stream);
        StreamBlocksTest.requireData(stream);
    }

    /** Signs of life and answer are of one response, and numbered as one. */
    private static void requireOneResponse(List<JsonNode> events, String last) {
        assertEquals("response.created", type(events.getFirst()));
        assertEquals("response.in_progress", type(events.get(1)));
        assertEquals(last, type(events.getLast()));
        assertEquals(
                IntStream.range(0, events.size()).boxed().toList(),
                events.stream().map(event -> event.get("sequence_number").asInt()).toList());
        assertEquals(
                1, events.stream().filter(event -> type(event).equals("response.created")).count());
        List<JsonNode> responses =
                events.stream()
                        .map(event -> event.path("response"))
                        .filter(response -> !response.isMissingNode())
                        .toList();
        for (String field : List.of("id", "created_at", "model")) {
            assertEquals(
                    1, responses.stream().map(each -> each.get(field)).distinct().count(), field);
        }
    }

    private static String type(JsonNode event) {
        return event.get("type").asString();
    }

    private static ModelManager models(ScriptedSource source) {
        return ModelManager.several(
                () -> List.of(source), ModelNameResolver.usual(), IdleTtl.always());
    }

    private static TestServer server(ModelManager models) {
        TestServer server = TestServer.loading(HttpOptions.loopback());
        server.server.ready(models);
        return server;
    }

    @Test
    void keepAliveEventsAreSentWhileTheModelLoads() throws Exception {
        CountDownLatch loaded = new CountDownLatch(1);
        try (ModelManager models = models(new ScriptedSource("slow").waitsFor(loaded));
                TestServer server = server(models)) {
            List<Stream> streams = openAll(server, PATHS, "Hi");
            readSigns(streams, PATHS);

            loaded.countDown();

            for (int i = 0; i < PATHS.size(); i++) {
                requireComplete(PATHS.get(i), streams.get(i).rest());
            }
        }
    }

    @Test
    void failedModelLoadIsReportedInTheStream() throws Exception {
        CountDownLatch loaded = new CountDownLatch(1);
        ScriptedSource source =
                new ScriptedSource("slow")
                        .waitsFor(loaded)
                        .fails(
                                new VarveException(
                                        VarveException.Kind.CORRUPT_FILE, "slow.gguf: truncated"));
        try (ModelManager models = models(source);
                TestServer server = server(models)) {
            List<Stream> streams = openAll(server, PATHS, "Hi");
            CompletableFuture<HttpResponse<String>> whole =
                    CompletableFuture.supplyAsync(() -> whole(server));
            readSigns(streams, PATHS);

            loaded.countDown();

            String reason = "model slow cannot be loaded: slow.gguf: truncated";
            for (int i = 0; i < PATHS.size(); i++) {
                String text = streams.get(i).rest();
                JsonNode last = TestServer.events(text).getLast();
                assertFalse(text.contains("[DONE]"), text);
                switch (PATHS.get(i)) {
                    case "/v1/responses" -> {
                        requireOneResponse(TestServer.events(text), "response.failed");
                        assertEquals(reason, last.at("/response/error/message").asString());
                    }
                    case "/v1/messages" -> {
                        assertEquals("error", type(last));
                        assertEquals("api_error", last.at("/error/type").asString());
                        assertEquals(reason, last.at("/error/message").asString());
                    }
                    default -> assertEquals(reason, last.at("/error/message").asString());
                }
            }
            assertEquals(500, whole.join().statusCode(), "an answer that is no stream can wait");
            assertTrue(
                    server.get("/metrics").body().contains("finish_reason=\"error\""),
                    "what failed is counted so");
        }
    }

    private static HttpResponse<String> whole(TestServer server) {
        try {
            return server.post("/v1/chat/completions", body("", "Hi", false));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Reads when it may; until then it asks as drafters do, and leaves its thread to others. */
    private record SlowDrafter(PrefillDrafter drafter, CountDownLatch start)
            implements PrefillDrafter {
        private static final long ASK_MILLIS = 20;

        @Override
        public Tokenizer tokenizer() {
            return drafter.tokenizer();
        }

        @Override
        public String identity() {
            return drafter.identity();
        }

        @Override
        public float[] score(int[] tokens, BooleanSupplier cancelled) {
            awaitStart(cancelled);
            return drafter.score(tokens, cancelled);
        }

        private void awaitStart(BooleanSupplier cancelled) {
            try {
                while (!start.await(ASK_MILLIS, TimeUnit.MILLISECONDS)
                        && !cancelled.getAsBoolean()) {
                    continue;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            drafter.close();
        }
    }

    private static ServedModel compressing(ScriptedEngine engine, PrefillDrafter drafter) {
        ServedModel plain = SmallChat.served(engine);
        return new ServedModel(
                new ModelDescription("slow", "small", 1000, Map.of()),
                plain.engine(),
                plain.textProcessing(),
                Optional.of(
                        new ConversationCompressor(
                                drafter,
                                ConversationCompressionSettings.of(
                                        CompressionMode.AUTO, 4000, new KeepRatio(0.15)))));
    }

    @Test
    void keepAliveEventsAreSentDuringCompression() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<String> paths = PATHS.subList(0, 3);
        try (ScriptedEngine engine =
                        new ScriptedEngine().says(SmallChat.answer("slow")).hasContext(1 << 16);
                PrefillDrafter drafter =
                        new SlowDrafter(
                                ScriptedDrafter.looksFor("day", SmallChat.TOKENIZER), start);
                TestServer server = TestServer.of(compressing(engine, drafter))) {
            List<Stream> streams = openAll(server, paths, LONG);
            readSigns(streams, paths);

            start.countDown();

            for (int i = 0; i < paths.size(); i++) {
                requireComplete(paths.get(i), streams.get(i).rest());
            }
            assertEquals(paths.size(), engine.requests.size());
            engine.requests.forEach(
                    request -> assertTrue(request.prompt().tokens().length < LONG.length() / 3));
        }
    }

    @Test
    void failedDrafterIsReportedInTheStream() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        ScriptedDrafter failing = ScriptedDrafter.looksFor("day", SmallChat.TOKENIZER);
        failing.failWith(
                Optional.of(
                        new VarveException(
                                VarveException.Kind.UNAVAILABLE, "the drafter has gone away")));
        try (ScriptedEngine engine = new ScriptedEngine().hasContext(1000);
                PrefillDrafter drafter = new SlowDrafter(failing, start);
                TestServer server = TestServer.of(compressing(engine, drafter))) {
            Stream stream = open(server, "/v1/messages", LONG).join();
            stream.readTo("\"ping\"");

            start.countDown();

            JsonNode last = TestServer.events(stream.rest()).getLast();
            assertEquals("error", type(last));
            assertEquals("the drafter has gone away", last.at("/error/message").asString());
        }
    }
}
