package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.template.ChatTemplate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Heavy requests beside a stream: the stream continues, and the server answers probes. */
@Timeout(300)
class StarvationTest {
    /** Takes its time limit for a text of one letter. */
    private static final String SLOW_TEMPLATE =
            "{% for a in range(100000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}";

    private static final Duration PACE = Duration.ofMillis(20);

    /** Tokens that a stream sends while the server works on heavy requests. */
    private static final int TOKENS_BESIDE = 20;

    private final PacedEngine engine =
            new PacedEngine(PACE, SmallChat.TOKENIZER.encode("x", false)[0]);

    @AfterEach
    void stop() {
        engine.close();
    }

    /**
     * If the stream or the probes waited for the heavy requests, the server would answer all heavy
     * requests before the twenty tokens and the answers to the probes arrive. The test does not
     * measure the pauses of the stream.
     */
    @Test
    @Tag("nightly")
    void streamAndProbesContinueBesideHeavyRequests() throws Exception {
        ServedModel served =
                new ServedModel(
                        new ModelDescription("small", "small", 4096, Map.of()),
                        engine,
                        new ModelTextProcessing(
                                SmallChat.TOKENIZER,
                                Optional.of(
                                        new ChatRenderer(
                                                ChatTemplate.compile(SLOW_TEMPLATE),
                                                SmallChat.TOKENIZER)),
                                ResponseSyntax.of(
                                        new ChatDialect(Optional.empty(), Optional.empty()),
                                        SmallChat.TOKENIZER),
                                ReasoningDefaults.none()));
        try (TestServer server = TestServer.of(served);
                HttpClient client = HttpClient.newHttpClient();
                RawClient stream = RawClient.of(server)) {
            String body = "{\"prompt\": \"a\", \"stream\": true, \"max_tokens\": 1000000}";
            BufferedReader lines =
                    new BufferedReader(
                            new InputStreamReader(
                                    stream
                                            .beginPost("/v1/completions", body.length(), body)
                                            .stream(),
                                    StandardCharsets.UTF_8));
            readTokens(lines, 1);

            List<CompletableFuture<HttpResponse<String>>> attacks = attack(client, server);
            CompletableFuture<Void> over =
                    CompletableFuture.allOf(attacks.toArray(CompletableFuture[]::new));
            readTokens(lines, TOKENS_BESIDE);
            assertEquals(200, server.get("/health").statusCode());
            assertEquals(200, server.get("/metrics").statusCode());

            assertFalse(over.isDone(), "the heavy requests came first");
            over.get(200, TimeUnit.SECONDS);
            for (CompletableFuture<HttpResponse<String>> attack : attacks) {
                HttpResponse<String> answer = attack.get();
                assertTrue(
                        Set.of(400, 503).contains(answer.statusCode()),
                        answer.statusCode() + " " + answer.body());
            }
            readTokens(lines, 1);
        }
    }

    /** As when thousands of requests come at once: each has a virtual thread. */
    @Test
    void keepAliveIsSentWhileVirtualThreadsOccupyAllCores() throws Exception {
        AtomicBoolean answered = new AtomicBoolean();
        try (ExecutorService busy = Executors.newVirtualThreadPerTaskExecutor();
                TestServer server = TestServer.of(new ScriptedEngine());
                RawClient client = RawClient.of(server)) {
            // Spinning threads give their carriers back to nobody: each has more than it can run.
            for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
                busy.execute(
                        () -> {
                            while (!answered.get()) {
                                Thread.onSpinWait();
                            }
                        });
            }

            String answer;
            try {
                answer =
                        client.send(
                                        "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection:"
                                                + " close\r\n\r\n")
                                .rest();
            } finally {
                answered.set(true);
            }

            assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
        }
    }

    private static List<CompletableFuture<HttpResponse<String>>> attack(
            HttpClient client, TestServer server) {
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
            attacks.add(post(client, server, "/v1/chat/completions", TestServer.chatBody(""), ""));
        }
        return attacks;
    }

    private static void readTokens(BufferedReader lines, int count) throws IOException {
        for (int read = 0; read < count; ) {
            String line = lines.readLine();
            assertNotNull(line, "the stream ended");
            read += line.startsWith("data:") ? 1 : 0;
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
}
