package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.chat.AnswerDialect;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelLanguage;
import dev.varve.platform.http.model.ReasoningDefaults;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.template.ChatTemplate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Heavy requests beside a stream: it goes on, and who asks how the server does is told. */
@Timeout(300)
class StarvationTest {
    /** Takes its time limit for a text of one letter. */
    private static final String SLOW_TEMPLATE =
            "{% for a in range(100000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}";

    private static final Duration PACE = Duration.ofMillis(20);

    /** What a machine that others use too may add; a server that starves stops for longer. */
    private static final Duration BUSY_MACHINE = Duration.ofSeconds(4);

    private static final Duration ALLOWED = Duration.ofMillis(500);

    private final PacedEngine engine =
            new PacedEngine(PACE, SmallChat.TOKENIZER.encode("x", false)[0]);

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void aStreamAndItsProbesGoOnBesideHeavyRequests() throws Exception {
        beside(BUSY_MACHINE, BUSY_MACHINE);
    }

    /** On a machine of its own. */
    @Test
    @Tag("nightly")
    void aStreamPausesForHalfASecondAtMost() throws Exception {
        beside(ALLOWED, BUSY_MACHINE);
    }

    private void beside(Duration longestGap, Duration longestProbe) throws Exception {
        ServedModel served =
                new ServedModel(
                        new ModelDescription("small", "small", 4096, Map.of()),
                        engine,
                        new ModelLanguage(
                                SmallChat.TOKENIZER,
                                Optional.of(
                                        new ChatRenderer(
                                                ChatTemplate.compile(SLOW_TEMPLATE),
                                                SmallChat.TOKENIZER)),
                                AnswerDialect.of(
                                        new ChatDialect(Optional.empty(), Optional.empty()),
                                        SmallChat.TOKENIZER),
                                ReasoningDefaults.none()));
        try (TestServer server = TestServer.of(served);
                HttpClient client = HttpClient.newHttpClient();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Void> over = new CompletableFuture<>();
            CountDownLatch begun = new CountDownLatch(1);
            Future<Duration> gap = threads.submit(() -> longestGap(server, begun, over));
            assertTrue(begun.await(30, TimeUnit.SECONDS), "the stream does not begin");
            Future<Duration> probe = threads.submit(() -> longestProbe(server, over));

            List<CompletableFuture<HttpResponse<String>>> attacks = new ArrayList<>();
            String numbers = "7".repeat(15_000_000);
            String words = "some words ".repeat(1_360_000);
            for (int i = 0; i < 4; i++) {
                attacks.add(post(client, server, "/tokenize", "{\"content\": \"%\"}", numbers));
                attacks.add(post(client, server, "/v1/completions", "{\"prompt\": \"%\"}", words));
            }
            String brackets = "[],".repeat(5_000_000);
            attacks.add(post(client, server, "/tokenize", "{\"content\": [%1]}", brackets));
            for (int i = 0; i < 4; i++) {
                attacks.add(
                        post(client, server, "/v1/chat/completions", TestServer.chatBody(""), ""));
            }
            CompletableFuture.allOf(attacks.toArray(CompletableFuture[]::new))
                    .get(200, TimeUnit.SECONDS);
            over.complete(null);

            for (CompletableFuture<HttpResponse<String>> attack : attacks) {
                HttpResponse<String> answer = attack.get();
                assertTrue(
                        Set.of(400, 503).contains(answer.statusCode()),
                        answer.statusCode() + " " + answer.body());
            }
            assertTrue(gap.get().compareTo(longestGap) < 0, "the stream paused for " + gap.get());
            assertTrue(probe.get().compareTo(longestProbe) < 0, "/health took " + probe.get());
        }
    }

    private static CompletableFuture<HttpResponse<String>> post(
            HttpClient client, TestServer server, String path, String body, String filling) {
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create(server.server.uri() + path))
                        .POST(HttpRequest.BodyPublishers.ofString(body.replace("%", filling)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static Duration longestProbe(TestServer server, CompletableFuture<Void> over)
            throws Exception {
        long longest = 0;
        while (!over.isDone()) {
            long begin = System.nanoTime();
            assertEquals(200, server.get("/health").statusCode());
            assertEquals(200, server.get("/metrics").statusCode());
            longest = Math.max(longest, System.nanoTime() - begin);
        }
        return Duration.ofNanos(longest);
    }

    private static Duration longestGap(
            TestServer server, CountDownLatch begun, CompletableFuture<Void> over)
            throws Exception {
        String body = "{\"prompt\": \"a\", \"stream\": true, \"max_tokens\": 1000000}";
        long longest = 0;
        try (RawClient client = RawClient.of(server)) {
            BufferedReader lines =
                    new BufferedReader(
                            new InputStreamReader(
                                    client
                                            .beginPost("/v1/completions", body.length(), body)
                                            .stream(),
                                    StandardCharsets.UTF_8));
            long last = 0;
            while (!over.isDone()) {
                if (lines.readLine().startsWith("data:")) {
                    long now = System.nanoTime();
                    longest = last == 0 ? 0 : Math.max(longest, now - last);
                    last = now;
                    begun.countDown();
                }
            }
        }
        return Duration.ofNanos(longest);
    }
}
