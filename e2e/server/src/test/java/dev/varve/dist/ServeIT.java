package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.UnauthorizedException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionCreateParams;

import dev.varve.testkit.MetricsText;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The assembled server with the official OpenAI client. */
@Timeout(120)
class ServeIT {
    @TempDir static Path folder;

    private static Varve varve;
    private static Path model;
    private static Varve.Server server;
    private static OpenAIClient client;

    @BeforeAll
    static void start() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        model = Qwen35Model.odd(8).withType(TensorType.Q4_0).write(folder);
        server =
                varve.serve(
                        "--model",
                        model,
                        "--parallel",
                        8,
                        "--cache-type-k",
                        "q8_0",
                        "--cache-type-v",
                        "q8_0");
        client = client(server, "none");
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static OpenAIClient client(Varve.Server server, String key) {
        return OpenAIOkHttpClient.builder()
                .baseUrl(server.url() + "/v1")
                .apiKey(key)
                .maxRetries(0)
                .build();
    }

    @Test
    void modelIsListed() {
        assertEquals(1, client.models().list().data().size());
    }

    @Test
    void streamGivesTheTextOfTheWholeResponse() {
        String whole = content(client.chat().completions().create(chat("Tell me more").build()));
        StringBuilder streamed = new StringBuilder();
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat().completions().createStreaming(chat("Tell me more").build())) {
            chunks.stream()
                    .flatMap(chunk -> chunk.choices().stream())
                    .forEach(choice -> choice.delta().content().ifPresent(streamed::append));
        }

        assertFalse(whole.isEmpty());
        assertEquals(whole, streamed.toString());
    }

    @Test
    void nextTurnComputesOnlyNewTokens() {
        String question = "A question that is long enough to be worth keeping in the cache";
        ChatCompletion first = client.chat().completions().create(chat(question).build());
        ChatCompletion second =
                client.chat()
                        .completions()
                        .create(
                                chat(question)
                                        .addAssistantMessage(content(first))
                                        .addUserMessage("And then?")
                                        .build());

        long cached =
                second.usage()
                        .orElseThrow()
                        .promptTokensDetails()
                        .orElseThrow()
                        .cachedTokens()
                        .orElseThrow();
        assertTrue(cached > question.length() / 2, "cached tokens: " + cached);
    }

    @Test
    void logprobsAndSeveralChoicesArrive() {
        ChatCompletion answer =
                client.chat()
                        .completions()
                        .create(
                                chat("Hi")
                                        .temperature(1.0)
                                        .n(2)
                                        .logprobs(true)
                                        .topLogprobs(2)
                                        .build());

        assertEquals(2, answer.choices().size());
        assertEquals(
                2,
                answer.choices()
                        .getFirst()
                        .logprobs()
                        .orElseThrow()
                        .content()
                        .orElseThrow()
                        .getFirst()
                        .topLogprobs()
                        .size());
    }

    @Test
    void plainTextIsContinued() {
        Completion completion =
                client.completions()
                        .create(
                                CompletionCreateParams.builder()
                                        .model("gpt-4o")
                                        .prompt("Once upon a time")
                                        .maxTokens(5)
                                        .temperature(0.0)
                                        .build());

        assertEquals(5, completion.usage().orElseThrow().completionTokens());
    }

    @Test
    void tooLongRequestIsRefusedWithItsCode() {
        BadRequestException refusal =
                assertThrows(
                        BadRequestException.class,
                        () ->
                                client.chat()
                                        .completions()
                                        .create(chat("x ".repeat(100_000)).build()));

        assertEquals("context_length_exceeded", refusal.code().orElse(""));
    }

    @Test
    void eightConcurrentClientsGetTheSameAsAlone() throws Exception {
        List<String> questions =
                IntStream.range(0, 8).mapToObj(i -> "Question " + "x".repeat(7 * i)).toList();
        long begin = steps();
        List<String> alone = questions.stream().map(ServeIT::ask).toList();
        long stepsAlone = steps() - begin;

        List<String> together;
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<String>> answers =
                    questions.stream()
                            .map(
                                    question ->
                                            CompletableFuture.supplyAsync(
                                                    () -> askAfter(start, question), clients))
                            .toList();
            start.countDown();
            together = answers.stream().map(CompletableFuture::join).toList();
        }
        long stepsTogether = steps() - begin - stepsAlone;

        assertEquals(alone, together);
        // A step computes a token of each request that runs: requests that overlap need fewer of
        // them.
        assertTrue(
                2 * stepsTogether < stepsAlone,
                stepsTogether + " steps together, " + stepsAlone + " one after the other");
    }

    private static String ask(String question) {
        return content(client.chat().completions().create(chat(question).build()));
    }

    private static String askAfter(CountDownLatch start, String question) {
        try {
            start.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return ask(question);
    }

    /** Forward passes so far. */
    private static long steps() throws Exception {
        return (long) MetricsText.parse(metrics(server)).value("varve_steps_total");
    }

    @Test
    void disconnectedClientFreesItsSlot() throws Exception {
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat()
                        .completions()
                        .createStreaming(
                                chat("Hi")
                                        .maxCompletionTokens(1500)
                                        .putAdditionalBodyProperty(
                                                "ignore_eos", com.openai.core.JsonValue.from(true))
                                        .build())) {
            assertTrue(chunks.stream().limit(3).count() > 0);
        }

        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (MetricsText.parse(metrics(server)).value("varve_requests_running") > 0) {
            assertTrue(System.nanoTime() < deadline, "the request still runs");
        }
    }

    @Test
    @Tag("nightly")
    void keyIsRequired() throws Exception {
        try (Varve.Server guarded = varve.serve("--model", model, "--api-key", "secret")) {
            OpenAIClient stranger = client(guarded, "guess");
            assertThrows(UnauthorizedException.class, () -> stranger.models().list());
            assertEquals(1, client(guarded, "secret").models().list().data().size());
        }
    }

    @Test
    void sigtermLetsAStreamFinish() throws Exception {
        try (Varve.Server own = varve.serve("--model", model)) {
            OpenAIClient friend = client(own, "none");
            List<String> reasons = new ArrayList<>();
            try (StreamResponse<ChatCompletionChunk> chunks =
                    friend.chat()
                            .completions()
                            .createStreaming(chat("Hi").maxCompletionTokens(400).build())) {
                Iterator<ChatCompletionChunk> left = chunks.stream().iterator();
                left.next();
                // Once: a second signal would end the stream.
                own.terminate();
                left.forEachRemaining(
                        chunk ->
                                chunk.choices().stream()
                                        .flatMap(choice -> choice.finishReason().stream())
                                        .forEach(reason -> reasons.add(reason.asString())));
            }

            assertEquals(1, reasons.size(), "the stream ended with its reason");
            assertTrue(own.ends());
        }
    }

    @Test
    @Tag("nightly")
    void serverRestartsAfterAKill() throws Exception {
        try (Varve.Server own = varve.serve("--model", model)) {
            own.kill();
            assertTrue(own.ends());
        }
        try (Varve.Server again = varve.serve("--model", model)) {
            OpenAIClient friend = client(again, "none");
            assertFalse(content(friend.chat().completions().create(chat("Hi").build())).isEmpty());
        }
    }

    @Test
    void portInUseIsAFailureThatNamesIt() throws Exception {
        int port = URI.create(server.url()).getPort();

        Varve.Outcome outcome = varve.run("serve", "--model", model, "--port", port);

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains(":" + port), outcome.err());
    }

    @Test
    @Tag("nightly")
    void publicAddressNeedsAKey() throws Exception {
        Varve.Outcome outcome =
                varve.run("serve", "--model", model, "--port", 0, "--host", "0.0.0.0");

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("--insecure"), outcome.err());
    }

    private static ChatCompletionCreateParams.Builder chat(String question) {
        return ChatCompletionCreateParams.builder()
                .model("gpt-4o")
                .temperature(0.0)
                .maxCompletionTokens(24)
                .addUserMessage(question);
    }

    private static String content(ChatCompletion answer) {
        return answer.choices().getFirst().message().content().orElse("");
    }

    private static String metrics(Varve.Server server) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
