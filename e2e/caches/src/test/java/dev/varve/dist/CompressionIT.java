package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.CompletionUsage;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Long prompts of a demo model that become shorter, as the official client sees it. */
@Timeout(180)
class CompressionIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String ANSWER = "4711";
    private static final String QUESTION = "What is the code of the lamp?";

    @TempDir static Path home;

    private static Varve varve;
    private static Varve.Server server;

    @TempDir Path folder;

    @BeforeAll
    static void start() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        varve = new Varve(Varve.INSTALLATION, home);
        server = serve();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static Varve.Server serve(Object... more) throws Exception {
        return varve.serve(
                Stream.concat(
                                Stream.of(
                                        "--model",
                                        DemoFamily.QWEN35.reference(),
                                        "--threads",
                                        1,
                                        "--prefill-compression",
                                        "always",
                                        "--prefill-keep-ratio",
                                        0.1),
                                Stream.of(more))
                        .toArray());
    }

    /** Some 2,000 tokens in which the answer stands. */
    private static String text(int first) {
        return notes(first) + " The code of the lamp is " + ANSWER + ". " + notes(first + 50);
    }

    private static String notes(int first) {
        return IntStream.range(first, first + 50)
                .mapToObj(
                        i ->
                                String.format(
                                        Locale.ROOT,
                                        "The %s goes to the %s on day %d.",
                                        i % 3 == 0 ? "miller" : i % 3 == 1 ? "baker" : "smith",
                                        i % 2 == 0 ? "river" : "market",
                                        7 * i % 100))
                .collect(Collectors.joining(" "));
    }

    private static ChatCompletionCreateParams.Builder chat() {
        return chat(0);
    }

    private static ChatCompletionCreateParams.Builder chat(int first) {
        return ChatCompletionCreateParams.builder()
                .model(DemoFamily.QWEN35.model())
                .addSystemMessage("You answer briefly.")
                .addUserMessage(text(first))
                .addUserMessage(QUESTION)
                .temperature(0)
                .maxCompletionTokens(24);
    }

    private static ChatCompletion ask(Varve.Server server, ChatCompletionCreateParams chat) {
        OpenAIClient client = client(server);
        try {
            return client.chat().completions().create(chat);
        } finally {
            client.close();
        }
    }

    private static OpenAIClient client(Varve.Server server) {
        return OpenAIOkHttpClient.builder()
                .baseUrl(server.url() + "/v1")
                .apiKey("none")
                .maxRetries(0)
                .build();
    }

    private static String content(ChatCompletion answer) {
        return answer.choices().getFirst().message().content().orElse("");
    }

    /** The fields of an answer's usage that the client library does not know. */
    private static JsonNode told(ChatCompletion answer) throws Exception {
        return told(answer.usage().orElseThrow());
    }

    @SuppressWarnings("deprecation") // the only way to what the client does not know
    private static JsonNode told(CompletionUsage usage) throws Exception {
        return JSON.readTree(
                JSON.writeValueAsString(
                        usage._additionalProperties().entrySet().stream()
                                .collect(
                                        Collectors.toMap(
                                                Map.Entry::getKey,
                                                entry -> plain(entry.getValue())))));
    }

    private static Object plain(JsonValue value) {
        return value.convert(Object.class);
    }

    @Test
    void compressionIsReportedAndTheRelevantTextIsKept() throws Exception {
        // A text of its own: the server keeps what it compressed for other tests.
        ChatCompletion answer = ask(server, chat(1).build());

        assertTrue(content(answer).contains(ANSWER), content(answer));
        JsonNode told = told(answer);
        assertEquals("whole", told.at("/compression/mode").asString(), told.toString());
        assertEquals(0.1, told.at("/compression/keep_requested").asDouble());
        int effective = told.at("/effective_prompt_tokens").asInt();
        long prompt = answer.usage().orElseThrow().promptTokens();
        assertTrue(effective > 0 && effective < prompt / 2, told + " of " + prompt);
    }

    @Test
    void streamReportsCompressionInItsLastChunk() throws Exception {
        StringBuilder text = new StringBuilder();
        Optional<JsonNode> told = Optional.empty();
        OpenAIClient client = client(server);
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat()
                        .completions()
                        .createStreaming(
                                chat().streamOptions(
                                                ChatCompletionStreamOptions.builder()
                                                        .includeUsage(true)
                                                        .build())
                                        .build())) {
            for (ChatCompletionChunk chunk : chunks.stream().toList()) {
                chunk.choices().forEach(choice -> choice.delta().content().ifPresent(text::append));
                if (chunk.usage().isPresent()) {
                    told = Optional.of(told(chunk.usage().get()));
                }
            }
        } finally {
            client.close();
        }

        assertTrue(text.toString().contains(ANSWER), text.toString());
        assertTrue(told.orElseThrow().has("compression"), told.toString());
    }

    @Test
    void keepRatioOfOneEqualsNoCompression() throws Exception {
        ChatCompletionCreateParams off =
                chat().putAdditionalBodyProperty("prefill_compression", JsonValue.from("off"))
                        .logprobs(true)
                        .build();
        ChatCompletionCreateParams all =
                chat().putAdditionalBodyProperty("prefill_keep_ratio", JsonValue.from(1))
                        .logprobs(true)
                        .build();

        ChatCompletion expected = ask(server, off);
        ChatCompletion found = ask(server, all);

        assertEquals(expected.choices(), found.choices());
        assertFalse(told(found).has("compression"), told(found).toString());
    }

    @Test
    @Tag("nightly")
    void splitModelKeepsTheSameTokens() throws Exception {
        ChatCompletion expected = ask(server, chat().build());
        try (Varve.Server split = serve("--target-devices", "cpu:0,cpu:0@process")) {
            ChatCompletion found = ask(split, chat().build());

            assertEquals(content(expected), content(found));
            for (String field :
                    new String[] {"/effective_prompt_tokens", "/compression/keep_actual"}) {
                assertEquals(told(expected).at(field), told(found).at(field), field);
            }
        }
    }

    /** The restarted server reads the first turn again, and finds what was computed for it. */
    @Test
    @Tag("nightly")
    void conversationContinuesAfterAKill() throws Exception {
        Object[] kept = {"--kv-cache-dir", folder.resolve("kept"), "--cache-ram", "64M"};
        ChatCompletionCreateParams second =
                chat().addAssistantMessage("The code of the lamp is 4711.")
                        .addUserMessage("What is the code of the lamp, again?")
                        .build();
        String expected;
        try (ChatClient writes = new ChatClient();
                Varve.Server first = serve(kept)) {
            ask(first, chat().build());
            writes.awaitWritten(first);
            expected = content(ask(first, second));
            first.signal("KILL");
        }
        try (Varve.Server again =
                serve(
                        Stream.concat(
                                        Arrays.stream(kept),
                                        Stream.of("--target-devices", "cpu:0,cpu:0@process"))
                                .toArray())) {
            ChatCompletion found = ask(again, second);

            assertEquals(expected, content(found));
            JsonNode told = told(found);
            assertEquals("whole", told.at("/compression/mode").asString(), told.toString());
            long cached =
                    found.usage()
                            .orElseThrow()
                            .promptTokensDetails()
                            .orElseThrow()
                            .cachedTokens()
                            .orElse(0L);
            assertTrue(cached > 100, found.usage().toString());
        }
    }

    @Test
    void truncatedDrafterIsRefused() throws Exception {
        byte[] whole =
                Files.readAllBytes(Varve.INSTALLATION.resolve("models/varve-demo-drafter.gguf"));
        Path cut = folder.resolve("cut.gguf");
        Files.write(cut, Arrays.copyOf(whole, whole.length - 1000));

        Varve.Outcome outcome =
                varve.run(
                        "serve",
                        "--port",
                        0,
                        "--model",
                        DemoFamily.QWEN35.reference(),
                        "--prefill-compression",
                        "always",
                        "--prefill-drafter",
                        cut);

        assertTrue(outcome.status() != 0, outcome.toString());
        assertTrue(outcome.err().contains("truncated or corrupt"), outcome.toString());
        assertTrue(outcome.err().contains("cut.gguf"), outcome.toString());
    }

    @Test
    @Tag("nightly")
    void upstreamServerGetsTheCompressedPrompt() throws Exception {
        try (Varve.Server upstream = varve.serve("--model", DemoFamily.QWEN35.reference());
                Varve.Server front =
                        varve.serve(
                                "--prefill-upstream-base",
                                upstream.url() + "/v1",
                                "--prefill-compression",
                                "always",
                                "--prefill-keep-ratio",
                                0.1,
                                "--prefill-drafter",
                                "demo:drafter")) {
            ChatCompletion answer = ask(front, chat().build());

            assertTrue(content(answer).contains(ANSWER), content(answer));
            JsonNode told = told(answer);
            assertEquals(
                    answer.usage().orElseThrow().promptTokens(),
                    told.at("/effective_prompt_tokens").asLong());
            assertTrue(
                    told.at("/compression/drafter_prompt_tokens").asLong()
                            > 2 * answer.usage().orElseThrow().promptTokens(),
                    told.toString());
        }
    }
}
