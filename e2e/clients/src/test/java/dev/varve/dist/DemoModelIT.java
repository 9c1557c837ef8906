package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;

import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The demo models of the installation, as a newcomer meets them: trained well enough to try with.
 */
@Timeout(300)
class DemoModelIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int LEAST_QUESTIONS = 40;

    /** As many as the server decodes together, and as many that wait. */
    private static final int CLIENTS = 8;

    private static final FunctionDefinition WEATHER =
            FunctionDefinition.builder()
                    .name("get_weather")
                    .description("Get the weather in a city")
                    .parameters(
                            FunctionParameters.builder()
                                    .putAdditionalProperty("type", JsonValue.from("object"))
                                    .putAdditionalProperty(
                                            "properties",
                                            JsonValue.from(
                                                    Map.of("city", Map.of("type", "string"))))
                                    .putAdditionalProperty(
                                            "required", JsonValue.from(List.of("city")))
                                    .build())
                    .build();

    @TempDir static Path folder;

    /** A server for each model, which the tests share. */
    private static final Map<DemoFamily, Varve.Server> SERVERS = new EnumMap<>(DemoFamily.class);

    @AfterAll
    static void stop() {
        SERVERS.values().forEach(Varve.Server::close);
        SERVERS.clear();
    }

    private static Varve.Server server(DemoFamily family) throws IOException {
        family.requireInstalled();
        Varve.Server server = SERVERS.get(family);
        if (server == null) {
            server = family.serve(varve());
            SERVERS.put(family, server);
        }
        return server;
    }

    /** How many questions of a kind were asked and answered rightly. */
    private record Score(int asked, int right) {
        static Score of(boolean isRight) {
            return new Score(1, isRight ? 1 : 0);
        }

        Score plus(Score other) {
            return new Score(asked + other.asked, right + other.right);
        }

        @Override
        public String toString() {
            return right + " of " + asked;
        }
    }

    @Test
    void serverWithoutAModelFlagReportsItsModelAndUsage() throws Exception {
        Varve.Server server = server(DemoFamily.QWEN35);
        assertTrue(
                server.err()
                        .contains("no --model was given: using demo:qwen35, a demo model with "),
                server.err());
        assertTrue(server.err().contains("varve serve --model model.gguf"), server.err());
        List<String> models = new ArrayList<>();
        withClient(
                server, client -> client.models().list().data().forEach(m -> models.add(m.id())));
        assertEquals(List.of("varve-demo-qwen35"), models);
    }

    @Test
    void everyDemoModelIsListedAsUsable() throws Exception {
        for (DemoFamily family : DemoFamily.values()) {
            family.requireInstalled();
        }

        Varve.Outcome outcome = varve().run("models", "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode listed = JSON.readTree(outcome.out());
        assertEquals(DemoFamily.values().length, listed.size(), outcome.out());
        for (JsonNode model : listed) {
            assertTrue(model.get("usable").asBoolean(), outcome.out());
            assertTrue(model.get("served").asBoolean(), outcome.out());
            assertFalse(model.path("description").asString("").isBlank(), outcome.out());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("nightly")
    void commandLineChatRepliesToAMessage(DemoFamily family) throws Exception {
        family.requireInstalled();

        Varve.Outcome outcome =
                varve().run(
                                "generate",
                                "--model",
                                family.reference(),
                                "--chat",
                                "What is 7 + 5?",
                                "--temperature",
                                0);

        assertEquals("7 + 5 = 12.\n", outcome.out(), outcome.toString());
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(1)
    void mostQuestionsGetTheRightResponse(DemoFamily family, TestReporter reporter)
            throws Exception {
        family.requireInstalled();
        List<DemoQuestion> questions =
                DemoQuestion.read(DemoFamily.SOURCE.resolve("evaluation").resolve("questions.json"))
                        .stream()
                        .filter(question -> family.asked().contains(question.kind()))
                        .toList();
        Map<String, Score> scores = new TreeMap<>();
        List<String> wrong = new ArrayList<>();

        Varve.Server server = server(family);
        try (HttpClient http = HttpClient.newHttpClient();
                ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<JsonNode>> answers = new ArrayList<>();
            for (DemoQuestion question : questions) {
                answers.add(clients.submit(() -> ask(http, server, question)));
            }
            for (int i = 0; i < answers.size(); i++) {
                DemoQuestion question = questions.get(i);
                JsonNode message = answers.get(i).get();
                boolean right = question.isAnsweredBy(message);
                scores.merge(question.kind(), Score.of(right), Score::plus);
                if (!right) {
                    wrong.add(question.kind() + " " + question.id() + ": " + message);
                }
            }
        }

        String report = family + ": " + scores;
        reporter.publishEntry("right", report);
        assertEquals(family.asked(), scores.keySet(), report);
        scores.forEach(
                (kind, score) -> {
                    assertTrue(score.asked() >= LEAST_QUESTIONS, report);
                    assertTrue(
                            score.right() >= family.least().get(kind) * score.asked(),
                            kind + ": " + report + "; wrong: " + wrong);
                });
    }

    private static JsonNode ask(HttpClient http, Varve.Server server, DemoQuestion question)
            throws Exception {
        HttpResponse<String> answer =
                http.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(question.request()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), question.id() + ": " + answer.body());
        return JSON.readTree(answer.body()).at("/choices/0/message");
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(2)
    void chatOfThreeTurnsRemembersTheName(DemoFamily family) throws Exception {
        withClient(
                server(family),
                client -> {
                    ChatCompletionCreateParams.Builder chat = greedy(family);
                    say(client, chat, "My name is Anna.");
                    say(client, chat, "What is 2 + 3?");

                    String answer = say(client, chat, "What is my name?");

                    assertTrue(DemoQuestion.has(answer, "Anna"), answer);
                });
    }

    /** Asks, checks the form of the answer, and keeps it for the next turn. */
    private static String say(
            OpenAIClient client, ChatCompletionCreateParams.Builder chat, String text) {
        ChatCompletion.Choice choice = ask(client, chat.addUserMessage(text));
        String answer = choice.message().content().orElse("");
        assertFalse(answer.isBlank(), text + " -> " + choice);
        assertEquals(
                ChatCompletion.Choice.FinishReason.STOP,
                choice.finishReason(),
                text + " -> " + answer);
        chat.addAssistantMessage(answer);
        return answer;
    }

    @ParameterizedTest
    @EnumSource
    @Tag("nightly")
    void toolIsCalledAndItsResultIsReported(DemoFamily family) throws Exception {
        withClient(
                server(family),
                client -> {
                    ChatCompletionCreateParams.Builder chat =
                            greedy(family).addFunctionTool(WEATHER);
                    ChatCompletion.Choice first =
                            ask(client, chat.addUserMessage("What is the weather in Bern?"));
                    assertEquals(
                            ChatCompletion.Choice.FinishReason.TOOL_CALLS,
                            first.finishReason(),
                            first.toString());
                    ChatCompletionMessageFunctionToolCall call =
                            first.message().toolCalls().orElseThrow().getFirst().asFunction();
                    assertEquals("get_weather", call.function().name());
                    assertEquals(Map.of("city", "Bern"), call.function().arguments(Map.class));

                    ChatCompletion.Choice last =
                            ask(
                                    client,
                                    chat.addMessage(first.message())
                                            .addMessage(
                                                    ChatCompletionToolMessageParam.builder()
                                                            .toolCallId(call.id())
                                                            .content("{\"temperature\": 17}")
                                                            .build()));

                    String answer = last.message().content().orElse("");
                    assertTrue(DemoQuestion.has(answer, "17"), last.toString());
                    assertEquals(ChatCompletion.Choice.FinishReason.STOP, last.finishReason());
                });
    }

    private static ChatCompletionCreateParams.Builder greedy(DemoFamily family) {
        return ChatCompletionCreateParams.builder()
                .model(family.model())
                .temperature(0.0)
                .maxCompletionTokens(96);
    }

    private static ChatCompletion.Choice ask(
            OpenAIClient client, ChatCompletionCreateParams.Builder chat) {
        return client.chat().completions().create(chat.build()).choices().getFirst();
    }

    private static void withClient(
            Varve.Server server, java.util.function.Consumer<OpenAIClient> use) {
        OpenAIClient client =
                OpenAIOkHttpClient.builder()
                        .baseUrl(server.url() + "/v1")
                        .apiKey("none")
                        .maxRetries(0)
                        .build();
        try {
            use.accept(client);
        } finally {
            client.close();
        }
    }

    private static Varve varve() {
        return new Varve(Varve.INSTALLATION, folder);
    }
}
