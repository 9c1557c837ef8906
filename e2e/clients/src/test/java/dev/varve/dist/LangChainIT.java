package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.model.output.FinishReason;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** LangChain4j chats, streams, calls tools in rounds, cancels a stream and receives errors. */
@Timeout(120)
class LangChainIT {
    private static final int ROUNDS = 3;
    private static final ToolSpecification WEATHER =
            ToolSpecification.builder()
                    .name("get_weather")
                    .description("Weather of the next days")
                    .parameters(
                            JsonObjectSchema.builder()
                                    .addStringProperty("city")
                                    .addIntegerProperty("days")
                                    .required("city", "days")
                                    .build())
                    .build();

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(names = {"QWEN35", "GEMMA4", "LAGUNA"})
    @ByDay(1)
    void langChainClientsPass(AgentFamily family) throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        try (Varve.Server server = varve.serve("--model", family.write(folder))) {
            runAgent(asked -> whole(server, "gpt-4o", asked.thinks()).chat(asked.request()));
            runAgent(asked -> streamed(server, asked.thinks(), asked.request()));
            namesTheOnlyModelAndTellsWhatIsWrong(server);
            leaves(server);
        }
    }

    /** A request, and whether the model is to think first. */
    private record Asked(ChatRequest request, boolean thinks) {}

    private static void runAgent(Function<Asked, ChatResponse> client) {
        List<ChatMessage> messages = new ArrayList<>(List.of(UserMessage.from("The weather?")));
        for (int round = 0; round < ROUNDS; round++) {
            AiMessage answer = client.apply(new Asked(request(messages), true)).aiMessage();

            assertEquals(AgentFamily.THOUGHT, answer.thinking().strip());
            assertEquals(1, answer.toolExecutionRequests().size(), answer.toString());
            ToolExecutionRequest call = answer.toolExecutionRequests().getFirst();
            assertEquals("get_weather", call.name());
            assertEquals("{\"city\":\"Bern\",\"days\":2}", call.arguments().replace(" ", ""));
            messages.add(answer);
            messages.add(ToolExecutionResultMessage.from(call, "{\"sky\": \"clear\"}"));
        }
        messages.add(UserMessage.from("So what?"));
        ChatResponse last = client.apply(new Asked(request(messages), false));

        assertEquals(AgentFamily.ANSWER, last.aiMessage().text());
        assertEquals(FinishReason.STOP, last.finishReason());
        assertTrue(last.tokenUsage().outputTokenCount() > 0);
    }

    private static ChatRequest request(List<ChatMessage> messages) {
        return ChatRequest.builder()
                .messages(List.copyOf(messages))
                .toolSpecifications(WEATHER)
                .build();
    }

    private static Map<String, Object> thinking(boolean wanted) {
        return Map.of("chat_template_kwargs", Map.of("enable_thinking", wanted));
    }

    private static ChatModel whole(Varve.Server server, String model, boolean thinks) {
        return OpenAiChatModel.builder()
                .baseUrl(server.url() + "/v1")
                .apiKey("none")
                .modelName(model)
                .maxRetries(0)
                .temperature(0.0)
                .maxCompletionTokens(64)
                .returnThinking(true)
                .sendThinking(true)
                .customParameters(thinking(thinks))
                .build();
    }

    private static ChatResponse streamed(Varve.Server server, boolean thinks, ChatRequest request) {
        StreamingChatModel model =
                OpenAiStreamingChatModel.builder()
                        .baseUrl(server.url() + "/v1")
                        .apiKey("none")
                        .modelName("gpt-4o")
                        .temperature(0.0)
                        .maxCompletionTokens(64)
                        .returnThinking(true)
                        .sendThinking(true)
                        .customParameters(thinking(thinks))
                        .build();
        CompletableFuture<ChatResponse> answer = new CompletableFuture<>();
        StringBuilder pieces = new StringBuilder();
        model.chat(
                request,
                new StreamingChatResponseHandler() {
                    @Override
                    public void onPartialResponse(String piece) {
                        pieces.append(piece);
                    }

                    @Override
                    public void onCompleteResponse(ChatResponse response) {
                        answer.complete(response);
                    }

                    @Override
                    public void onError(Throwable error) {
                        answer.completeExceptionally(error);
                    }
                });
        ChatResponse response = answer.join();
        String text = response.aiMessage().text();
        assertEquals(text == null ? "" : text, pieces.toString());
        return response;
    }

    private static void namesTheOnlyModelAndTellsWhatIsWrong(Varve.Server server) {
        ChatRequest hello = ChatRequest.builder().messages(UserMessage.from("Hello")).build();
        assertEquals(
                whole(server, "gpt-4o", false).chat(hello).metadata().modelName(),
                whole(server, "no-such-model", false).chat(hello).metadata().modelName());
        String longer = "Hello ".repeat(5000);
        InvalidRequestException refused =
                assertThrows(
                        InvalidRequestException.class,
                        () -> whole(server, "gpt-4o", false).chat(longer));
        assertTrue(refused.getMessage().contains("context"), refused.getMessage());
    }

    private static void leaves(Varve.Server server) throws Exception {
        StreamingChatModel model =
                OpenAiStreamingChatModel.builder()
                        .baseUrl(server.url() + "/v1")
                        .apiKey("none")
                        .modelName("gpt-4o")
                        .temperature(0.0)
                        .customParameters(Map.of("ignore_eos", true))
                        .build();
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        model.chat(
                ChatRequest.builder().messages(UserMessage.from("Go on.")).build(),
                new StreamingChatResponseHandler() {
                    @Override
                    public void onPartialResponse(
                            PartialResponse piece, PartialResponseContext context) {
                        context.streamingHandle().cancel();
                        left.complete(true);
                    }

                    @Override
                    public void onCompleteResponse(ChatResponse response) {
                        left.completeExceptionally(new AssertionError("it ended by itself"));
                    }

                    @Override
                    public void onError(Throwable error) {
                        left.completeExceptionally(error);
                    }
                });
        left.join();
        Await.until(
                "it is counted as gone",
                () -> metrics(server).value("varve_client_disconnects_total") == 1);
        Await.until("it has ended", () -> metrics(server).value("varve_requests_running") == 0);
    }

    private static MetricsText metrics(Varve.Server server) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return MetricsText.parse(
                    http.send(
                                    HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
