package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A server with a draft and one without give the same answers. The first counts its draft tokens.
 */
@Timeout(180)
class SpeculationIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int WIDTH = 4;
    private static final int TOKENS = 48;
    private static final String STORY = "Tell me a story.";

    /**
     * The model first repeats the text of a prompt. It then invents turns that repeat themselves.
     */
    private static final List<String> PROMPTS =
            List.of(
                    "My name is Anna. My name is Anna. My name is",
                    "What is the weather? I have no tool for that. What is the weather?",
                    "Nice to meet you, Anna! Nice to meet you, Anna! Nice to");

    @TempDir static Path folder;

    private static HttpClient http;
    private static Varve varve;
    private static Varve.Server plain;
    private static Varve.Server guessing;

    @BeforeAll
    static void start() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        http = HttpClient.newHttpClient();
        varve = new Varve(Varve.INSTALLATION, folder);
        String model = DemoFamily.QWEN35.reference();
        plain = varve.serve("--model", model, "--threads", 1, "--draft", "off");
        guessing =
                varve.serve(
                        "--model",
                        model,
                        "--threads",
                        1,
                        "--draft",
                        "ngram",
                        // The model is so small that a step costs less than most draft tokens.
                        "--draft-width",
                        WIDTH);
    }

    @AfterAll
    static void stop() {
        // A test that was skipped has none of them.
        if (http != null) {
            http.close();
        }
        if (plain != null) {
            plain.close();
        }
        if (guessing != null) {
            guessing.close();
        }
    }

    private static HttpResponse<String> send(Varve.Server server, String route, ObjectNode body)
            throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + route))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode complete(Varve.Server server, ObjectNode body) throws Exception {
        return answer(server, "/v1/completions", body);
    }

    private static JsonNode answer(Varve.Server server, String route, ObjectNode body)
            throws Exception {
        HttpResponse<String> response = send(server, route, body);
        assertEquals(200, response.statusCode(), body + ": " + response.body());
        return JSON.readTree(response.body());
    }

    private static ObjectNode greedy(String prompt) {
        return JSON.createObjectNode()
                .put("prompt", prompt)
                .put("max_tokens", TOKENS)
                .put("temperature", 0)
                .put("ignore_eos", true);
    }

    private static ObjectNode sampled(String prompt) {
        return greedy(prompt).put("temperature", 0.9).put("seed", 5);
    }

    /** Both servers say the same, and for the same reason no more. */
    private static JsonNode assertSame(ObjectNode body) throws Exception {
        return assertSame("/v1/completions", body);
    }

    private static JsonNode assertSame(String route, ObjectNode body) throws Exception {
        JsonNode expected = answer(plain, route, body);

        JsonNode answer = answer(guessing, route, body);

        assertEquals(expected.get("choices"), answer.get("choices"), body.toString());
        assertEquals(
                expected.at("/usage/completion_tokens"),
                answer.at("/usage/completion_tokens"),
                body.toString());
        assertEquals(0, expected.at("/timings/draft_tokens").asInt(), "guesses nothing");
        return answer;
    }

    private static int timing(JsonNode answer, String name) {
        return answer.get("timings").get(name).asInt();
    }

    @Test
    void acceptedDraftTokensSaveStepsAndDoNotChangeTheOutput() throws Exception {
        for (String prompt : PROMPTS) {
            JsonNode answer = assertSame(greedy(prompt));

            int drafted = timing(answer, "draft_tokens");
            int accepted = timing(answer, "accepted_tokens");
            int steps = timing(answer, "verify_steps");
            assertTrue(
                    0 < accepted && accepted <= drafted && drafted <= WIDTH * steps,
                    answer.toString());
            assertEquals(
                    1 + (double) accepted / steps,
                    answer.at("/timings/acceptance_length").asDouble(),
                    0.001,
                    answer.toString());
        }
    }

    @Test
    void sampledOutputIsTheSame() throws Exception {
        for (String prompt : PROMPTS) {
            assertSame(sampled(prompt));
            assertSame(sampled(prompt).put("n", 2).put("repetition_penalty", 1.1));
        }
    }

    @Test
    void logprobsAreTheSame() throws Exception {
        JsonNode answer = assertSame(greedy(PROMPTS.getFirst()).put("logprobs", 3));

        assertEquals(TOKENS, answer.at("/choices/0/logprobs/token_logprobs").size());
        assertTrue(timing(answer, "accepted_tokens") > 0, answer.toString());
        assertSame(sampled(PROMPTS.getFirst()).put("logprobs", 1));
    }

    /** The last token may lie anywhere in a block of draft tokens. */
    @Test
    void tokenLimitHoldsWithinABlock() throws Exception {
        for (int tokens = 1; tokens <= 2 * (WIDTH + 1); tokens++) {
            JsonNode answer = assertSame(greedy(PROMPTS.getFirst()).put("max_tokens", tokens));

            assertEquals(tokens, answer.at("/usage/completion_tokens").asInt());
            assertEquals("length", answer.at("/choices/0/finish_reason").asString());
        }
    }

    @Test
    void stopStringEndsAResponseWithinABlock() throws Exception {
        String text = complete(plain, greedy(PROMPTS.getFirst())).at("/choices/0/text").asString();
        for (int begin = 0; begin + 6 < text.length(); begin += 5) {
            ObjectNode body = greedy(PROMPTS.getFirst());
            body.putArray("stop").add(text.substring(begin, begin + 6));

            JsonNode answer = assertSame(body);

            assertEquals("stop", answer.at("/choices/0/finish_reason").asString(), body.toString());
        }
    }

    /** The draft tokens are the earlier answer to the same question and the end token after it. */
    @Test
    void endTokenEndsAResponseWithinABlock() throws Exception {
        for (String question : List.of("What is 7 + 5?", "What is Varve?", "Hello!")) {
            ObjectNode body = JSON.createObjectNode().put("temperature", 0);
            ArrayNode messages = body.putArray("messages");
            for (int turn = 0; turn < 3; turn++) {
                messages.addObject().put("role", "user").put("content", question);
                JsonNode answer = assertSame("/v1/chat/completions", body);

                assertEquals("stop", answer.at("/choices/0/finish_reason").asString(), question);
                assertTrue(turn < 2 || timing(answer, "accepted_tokens") > 0, answer.toString());
                messages.add(
                        JSON.createObjectNode()
                                .put("role", "assistant")
                                .put(
                                        "content",
                                        answer.at("/choices/0/message/content").asString()));
            }
        }
    }

    @Test
    void requestMayDisableDrafts() throws Exception {
        for (ObjectNode body :
                List.of(
                        greedy(PROMPTS.getFirst()).put("speculative", false),
                        greedy(PROMPTS.getFirst()).put("draft_max", 0))) {
            JsonNode answer = assertSame(body);

            for (String name : List.of("draft_tokens", "accepted_tokens", "verify_steps")) {
                assertEquals(0, timing(answer, name), body + ": " + name);
            }
        }
    }

    @Test
    void requestMayLimitDrafts() throws Exception {
        JsonNode answer = assertSame(greedy(PROMPTS.getFirst()).put("draft_max", 2));

        int drafted = timing(answer, "draft_tokens");
        assertTrue(drafted > 0 && drafted <= 2 * timing(answer, "verify_steps"), answer.toString());
    }

    @Test
    void contradictoryFieldsAreRefusedByName() throws Exception {
        HttpResponse<String> response =
                send(
                        guessing,
                        "/v1/completions",
                        greedy("x").put("speculative", false).put("draft_max", 3));

        assertEquals(400, response.statusCode());
        JsonNode error = JSON.readTree(response.body()).get("error");
        assertEquals("draft_max", error.get("param").asString(), error.toString());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void openAiClientGetsTheSameWithAndWithoutStreaming(boolean sampled) {
        ChatCompletionCreateParams chat =
                ChatCompletionCreateParams.builder()
                        .model(DemoFamily.QWEN35.model())
                        .addUserMessage(STORY)
                        .temperature(sampled ? 0.7 : 0)
                        .putAdditionalBodyProperty("seed", JsonValue.from(4))
                        .maxCompletionTokens(64)
                        .build();
        List<String> heard = new ArrayList<>();
        for (Varve.Server server : List.of(plain, guessing)) {
            OpenAIClient client =
                    OpenAIOkHttpClient.builder()
                            .baseUrl(server.url() + "/v1")
                            .apiKey("none")
                            .maxRetries(0)
                            .build();
            try {
                ChatCompletion whole = client.chat().completions().create(chat);
                heard.add(whole.choices().getFirst().message().content().orElse(""));
                heard.add(streamed(client, chat));
            } finally {
                client.close();
            }
        }

        assertEquals(1, heard.stream().distinct().count(), heard.toString());
        assertTrue(heard.getFirst().length() > 100, heard.getFirst());
    }

    private static String streamed(OpenAIClient client, ChatCompletionCreateParams chat) {
        StringBuilder text = new StringBuilder();
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat().completions().createStreaming(chat)) {
            chunks.stream()
                    .flatMap(chunk -> chunk.choices().stream())
                    .forEach(choice -> choice.delta().content().ifPresent(text::append));
        }
        return text.toString();
    }

    @Test
    void batchedRequestsEqualSingleOnes() throws Exception {
        List<ObjectNode> bodies = new ArrayList<>();
        for (String prompt : PROMPTS) {
            bodies.add(greedy(prompt));
            bodies.add(sampled(prompt));
            bodies.add(greedy(prompt).put("speculative", false));
            bodies.add(sampled(prompt).put("draft_max", 1));
        }
        List<JsonNode> alone = new ArrayList<>();
        for (ObjectNode body : bodies) {
            alone.add(complete(plain, body).get("choices"));
        }

        List<JsonNode> together = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(bodies.size())) {
            List<Future<JsonNode>> answers =
                    bodies.stream()
                            .map(body -> clients.submit(() -> complete(guessing, body)))
                            .toList();
            for (Future<JsonNode> answer : answers) {
                together.add(answer.get().get("choices"));
            }
        }

        assertEquals(alone, together);
    }

    @Test
    void draftTokensAreCountedInMetrics() throws Exception {
        List<String> names =
                List.of(
                        "varve_spec_draft_tokens_total",
                        "varve_spec_accepted_tokens_total",
                        "varve_spec_steps_total",
                        "varve_spec_acceptance_length_count",
                        "varve_spec_draft_width_sum");
        try (ChatClient metrics = new ChatClient()) {
            // Once this one has ended, what came before it is counted.
            complete(guessing, greedy("x").put("speculative", false));
            List<Long> expected = new ArrayList<>();
            for (String name : names) {
                expected.add(metrics.metric(guessing, name));
            }

            JsonNode answer = complete(guessing, greedy(PROMPTS.getLast()));

            List<String> sources =
                    List.of(
                            "draft_tokens",
                            "accepted_tokens",
                            "verify_steps",
                            "verify_steps",
                            "draft_tokens");
            for (int i = 0; i < names.size(); i++) {
                String name = names.get(i);
                long value = expected.get(i) + timing(answer, sources.get(i));
                Await.until(name + " is " + value, () -> value == metric(metrics, name));
            }
            assertEquals(0, metrics.metric(plain, names.getFirst()));
        }
    }

    private static long metric(ChatClient client, String name) {
        try {
            return client.metric(guessing, name);
        } catch (Exception e) {
            throw new AssertionError(name, e);
        }
    }

    @Test
    @Tag("nightly")
    void commandLineGivesTheSameOutputAndReportsAcceptance() throws Exception {
        JsonNode expected = generate("--draft", "off");

        JsonNode answer = generate("--draft", "ngram", "--draft-width", WIDTH);

        assertEquals(expected.get("tokens"), answer.get("tokens"));
        assertEquals(expected.get("finish_reason"), answer.get("finish_reason"));
        assertEquals(0, timing(expected, "draft_tokens"));
        assertTrue(timing(answer, "draft_tokens") > 0, answer.toString());
        assertTrue(timing(answer, "verify_steps") < answer.get("tokens").size(), answer.toString());
    }

    /** The demo model's draft model proposes side branches, which are sometimes right. */
    @Test
    @Tag("nightly")
    void treeDraftsAreSupported() throws Exception {
        JsonNode expected = generate("--draft", "off");

        JsonNode chains = generate("--draft-width", 7);
        JsonNode trees = generate("--ddtree", "always");
        JsonNode split =
                generate(
                        "--ddtree",
                        "always",
                        "--ddtree-budget",
                        12,
                        "--target-devices",
                        "cpu:0,cpu:0@process",
                        "--draft-device",
                        "cpu:0@process");

        for (JsonNode answer : List.of(chains, trees, split)) {
            assertEquals(expected.get("tokens"), answer.get("tokens"));
        }
        assertTrue(timing(trees, "draft_tokens") > 7 * timing(trees, "verify_steps"));
        assertTrue(
                timing(trees, "verify_steps") <= timing(chains, "verify_steps"),
                trees.get("timings") + " against " + chains.get("timings"));
        assertTrue(timing(split, "draft_tokens") > 0, split.toString());
        Varve.Outcome refused =
                varve.run(
                        "generate",
                        "--model",
                        DemoFamily.QWEN35.reference(),
                        "--draft",
                        "ngram",
                        "--ddtree",
                        "--prompt",
                        "x");
        assertEquals(2, refused.status(), refused.toString());
        assertTrue(
                refused.err().contains("--ddtree: speculator ngram proposes no token trees"),
                refused.toString());
    }

    private static JsonNode generate(Object... more) throws Exception {
        List<Object> arguments =
                new ArrayList<>(
                        List.of(
                                "generate",
                                "--model",
                                DemoFamily.QWEN35.reference(),
                                "--chat",
                                STORY,
                                "--max-tokens",
                                90,
                                "--temperature",
                                0,
                                "--json"));
        arguments.addAll(List.of(more));
        Varve.Outcome outcome = varve.run(arguments.toArray());
        assertEquals(0, outcome.status(), outcome.toString());
        return JSON.readTree(outcome.out());
    }
}
