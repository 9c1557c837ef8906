package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.completions.CompletionUsage;

import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An agent with the official OpenAI client calls tools round by round. */
@Timeout(120)
class AgentLoopIT {
    private static final int ROUNDS = 3;

    private static final FunctionDefinition WEATHER =
            FunctionDefinition.builder()
                    .name("get_weather")
                    .description("Weather of the next days")
                    .parameters(
                            FunctionParameters.builder()
                                    .putAdditionalProperty("type", JsonValue.from("object"))
                                    .putAdditionalProperty(
                                            "properties",
                                            JsonValue.from(
                                                    Map.of(
                                                            "city",
                                                            Map.of("type", "string"),
                                                            "days",
                                                            Map.of("type", "integer"))))
                                    .putAdditionalProperty(
                                            "required", JsonValue.from(List.of("city", "days")))
                                    .build())
                    .build();

    @TempDir Path folder;

    /** The answer of the server, as one body or as a stream. */
    private record Answer(ChatCompletion completion, String reasoning) {
        ChatCompletion.Choice choice() {
            assertEquals(1, completion.choices().size());
            return completion.choices().getFirst();
        }

        ChatCompletionMessage message() {
            return choice().message();
        }

        CompletionUsage usage() {
            return completion.usage().orElseThrow();
        }

        long cachedTokens() {
            return usage().promptTokensDetails().orElseThrow().cachedTokens().orElseThrow();
        }
    }

    /** How a client asks. */
    @FunctionalInterface
    private interface Asking {
        Answer ask(OpenAIClient client, ChatCompletionCreateParams.Builder chat);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("nightly")
    void threeToolRoundsEndInAResponse(AgentFamily family) throws Exception {
        runAgent(family, AgentLoopIT::askAtOnce);
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(2)
    void streamedToolRoundsEndInAResponse(AgentFamily family) throws Exception {
        runAgent(family, AgentLoopIT::askForAStream);
    }

    private void runAgent(AgentFamily family, Asking asking) throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        try (Varve.Server server = varve.serve("--model", family.write(folder))) {
            OpenAIClient client =
                    OpenAIOkHttpClient.builder()
                            .baseUrl(server.url() + "/v1")
                            .apiKey("none")
                            .maxRetries(0)
                            .build();
            try {
                runAgent(client, asking);
            } finally {
                client.close();
            }
        }
    }

    private static void runAgent(OpenAIClient client, Asking asking) {
        ChatCompletionCreateParams.Builder chat =
                ChatCompletionCreateParams.builder()
                        .model("gpt-4o")
                        .temperature(0.0)
                        .maxCompletionTokens(64)
                        .addFunctionTool(WEATHER)
                        .addUserMessage("How is the weather?");
        Set<String> ids = new HashSet<>();
        long lastPrompt = 0;
        think(chat, true);
        for (int round = 0; round < ROUNDS; round++) {
            Answer answer = asking.ask(client, chat);

            ChatCompletionMessageFunctionToolCall call = checkedCall(answer);
            assertTrue(ids.add(call.id()), "a new id: " + call.id());
            checkCache(answer, round, lastPrompt);
            lastPrompt = answer.usage().promptTokens();
            chat.addMessage(
                            answer.message().toParam().toBuilder()
                                    .putAdditionalProperty(
                                            "reasoning_content", JsonValue.from(answer.reasoning()))
                                    .build())
                    .addMessage(
                            ChatCompletionToolMessageParam.builder()
                                    .toolCallId(call.id())
                                    .content("{\"sky\": \"clear\", \"round\": " + round + "}")
                                    .build());
        }

        think(chat.addUserMessage("So what?"), false);
        Answer last = asking.ask(client, chat);

        assertEquals(AgentFamily.ANSWER, last.message().content().orElse(""));
        assertEquals("", last.reasoning());
        assertEquals(List.of(), last.message().toolCalls().orElse(List.of()));
        assertEquals(ChatCompletion.Choice.FinishReason.STOP, last.choice().finishReason());
        checkCache(last, ROUNDS, lastPrompt);
    }

    private static ChatCompletionMessageFunctionToolCall checkedCall(Answer answer) {
        assertEquals(
                ChatCompletion.Choice.FinishReason.TOOL_CALLS,
                answer.choice().finishReason(),
                answer.toString());
        assertEquals("", answer.message().content().orElse(""));
        assertEquals(AgentFamily.THOUGHT, answer.reasoning().strip());
        assertEquals(1, answer.message().toolCalls().orElseThrow().size());
        ChatCompletionMessageFunctionToolCall call =
                answer.message().toolCalls().orElseThrow().getFirst().asFunction();
        assertEquals("get_weather", call.function().name());
        assertEquals(Map.of("city", "Bern", "days", 2), call.function().arguments(Map.class));
        return call;
    }

    private static void checkCache(Answer answer, int round, long lastPrompt) {
        String counts = "round " + round + ", last prompt " + lastPrompt + ": " + answer.usage();
        assertTrue(round == 0 || answer.cachedTokens() > 0, counts);
    }

    private static void think(ChatCompletionCreateParams.Builder chat, boolean wanted) {
        chat.putAdditionalBodyProperty(
                "chat_template_kwargs", JsonValue.from(Map.of("enable_thinking", wanted)));
    }

    @SuppressWarnings("deprecation") // the only way to what the client does not know
    private static Answer askAtOnce(OpenAIClient client, ChatCompletionCreateParams.Builder chat) {
        ChatCompletion completion = client.chat().completions().create(chat.build());
        return new Answer(
                completion,
                reasoning(completion.choices().getFirst().message()._additionalProperties()));
    }

    @SuppressWarnings("deprecation")
    private static Answer askForAStream(
            OpenAIClient client, ChatCompletionCreateParams.Builder chat) {
        ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
        StringBuilder reasoning = new StringBuilder();
        ChatCompletionCreateParams request =
                chat.streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
                        .build();
        long[] names = {0};
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat().completions().createStreaming(request)) {
            chunks.stream()
                    .peek(accumulator::accumulate)
                    .flatMap(chunk -> chunk.choices().stream())
                    .map(ChatCompletionChunk.Choice::delta)
                    .forEach(
                            delta -> {
                                reasoning.append(reasoning(delta._additionalProperties()));
                                names[0] += names(delta);
                            });
        }
        ChatCompletion completion = accumulator.chatCompletion();
        long calls = completion.choices().getFirst().message().toolCalls().orElse(List.of()).size();
        assertEquals(calls, names[0], "each call is named once");
        return new Answer(completion, reasoning.toString());
    }

    private static long names(ChatCompletionChunk.Choice.Delta delta) {
        return delta.toolCalls().orElse(List.of()).stream()
                .filter(call -> call.function().flatMap(function -> function.name()).isPresent())
                .count();
    }

    private static String reasoning(Map<String, JsonValue> properties) {
        JsonValue text = properties.getOrDefault("reasoning_content", JsonValue.from(""));
        return String.valueOf(text.convert(String.class));
    }
}
