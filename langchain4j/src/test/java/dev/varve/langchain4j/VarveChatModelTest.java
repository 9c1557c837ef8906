package dev.varve.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.data.image.Image;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.service.AiServices;
import dev.varve.embedded.Isolation;
import dev.varve.embedded.Varve;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** LangChain4j over a trained model in this process. */
class VarveChatModelTest {
    private static Varve model;

    private final VarveChatModel chat = new VarveChatModel(model);

    /** A person of a sentence. */
    record Person(String name, int age) {}

    /** A service that LangChain4j implements. */
    interface Assistant {
        String chat(String message);
    }

    /** A service whose response is a record. */
    interface Extractor {
        Person person(String text);
    }

    /** A tool of the program. */
    static final class Weather {
        private final List<String> cities = new ArrayList<>();

        @Tool(name = "get_weather", value = "Get the weather in a city")
        String weather(@P(name = "city", value = "the city") String city) {
            cities.add(city);
            return "{\"weather\": \"sunny\"}";
        }
    }

    /** Collects a response. */
    private static class Collector implements StreamingChatResponseHandler {
        final List<String> parts = new ArrayList<>();
        final CompletableFuture<ChatResponse> end = new CompletableFuture<>();

        @Override
        public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
            parts.add(part.text());
        }

        @Override
        public void onCompleteResponse(ChatResponse response) {
            end.complete(response);
        }

        @Override
        public void onError(Throwable error) {
            end.completeExceptionally(error);
        }
    }

    @BeforeAll
    static void open() {
        model = DemoModel.open(Isolation.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    @Test
    void responseHasTextUsageAndReason() {
        ChatResponse response =
                chat.chat(
                        ChatRequest.builder()
                                .messages(UserMessage.from("What is 12 + 30?"))
                                .build());

        assertTrue(response.aiMessage().text().contains("42"), response.toString());
        assertEquals(FinishReason.STOP, response.finishReason());
        assertEquals("varve-demo-qwen35", response.modelName());
        assertTrue(response.tokenUsage().outputTokenCount() > 1, response.toString());
    }

    @Test
    void conversationKeepsItsMessages() {
        ChatResponse response =
                chat.chat(
                        SystemMessage.from("You are a friendly assistant."),
                        UserMessage.from("My name is Anna."),
                        AiMessage.from("Nice to meet you, Anna."),
                        UserMessage.from("What is my name?"));

        assertTrue(response.aiMessage().text().contains("Anna"), response.toString());
    }

    @Test
    void toolOfTheProgramIsCalled() {
        Weather weather = new Weather();
        Assistant assistant =
                AiServices.builder(Assistant.class).chatModel(chat).tools(weather).build();

        String response = assistant.chat("What is the weather in Paris?");

        assertEquals(List.of("Paris"), weather.cities);
        assertTrue(response.contains("sunny"), response);
    }

    @Test
    void responseBecomesARecord() {
        Extractor extractor = AiServices.create(Extractor.class, chat);

        Person person = extractor.person("Return JSON with name and age: Anna is 34 years old.");

        assertEquals(new Person("Anna", 34), person);
    }

    @Test
    void jsonWithoutASchemaIsAnObject() {
        ChatResponse response =
                chat.chat(
                        ChatRequest.builder()
                                .messages(UserMessage.from("What is 12 + 30?"))
                                .responseFormat(ResponseFormat.JSON)
                                .build());

        assertTrue(response.aiMessage().text().startsWith("{"), response.toString());
    }

    @Test
    void parametersLimitTheResponse() {
        ChatResponse response =
                chat.chat(
                        ChatRequest.builder()
                                .messages(UserMessage.from("What is 12 + 30?"))
                                .maxOutputTokens(2)
                                .temperature(0.5)
                                .topK(1)
                                .build());

        assertEquals(2, response.tokenUsage().outputTokenCount());
        assertEquals(FinishReason.LENGTH, response.finishReason());
    }

    @Test
    void streamedPartsAreTheWholeText() throws Exception {
        Collector collector = new Collector();

        new VarveStreamingChatModel(model).chat("What is 12 + 30?", collector);

        ChatResponse response = collector.end.get(60, TimeUnit.SECONDS);
        assertEquals(response.aiMessage().text(), String.join("", collector.parts));
        assertTrue(collector.parts.size() > 1, collector.parts.toString());
    }

    @Test
    void cancelledStreamReportsNothingMore() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        Collector collector =
                new Collector() {
                    @Override
                    public void onPartialResponse(
                            PartialResponse part, PartialResponseContext context) {
                        super.onPartialResponse(part, context);
                        context.streamingHandle().cancel();
                        assertTrue(context.streamingHandle().isCancelled());
                        cancelled.countDown();
                    }
                };

        new VarveStreamingChatModel(model).chat("What is 12 + 30?", collector);

        assertTrue(cancelled.await(60, TimeUnit.SECONDS));
        // The next response is computed after the end of the cancelled one.
        chat.chat("What is 1 + 1?");
        assertEquals(1, collector.parts.size());
        assertFalse(collector.end.isDone());
    }

    @Test
    void requestBeyondTheContextIsNotRetriable() {
        assertThrows(InvalidRequestException.class, () -> chat.chat("word ".repeat(3000)));
    }

    @Test
    void streamedRefusalReachesTheHandler() {
        Collector collector = new Collector();

        new VarveStreamingChatModel(model).chat("word ".repeat(3000), collector);

        assertTrue(collector.end.isCompletedExceptionally());
    }

    @Test
    void imageIsRefused() {
        UserMessage message =
                UserMessage.from(
                        ImageContent.from(Image.builder().url("http://localhost/a.png").build()));

        assertThrows(UnsupportedFeatureException.class, () -> chat.chat(message));
    }

    @Test
    void estimatorCountsWithTheTemplate() {
        VarveTokenCountEstimator estimator = new VarveTokenCountEstimator(model);
        List<ChatMessage> messages = List.of(UserMessage.from("What is 12 + 30?"));

        int all = estimator.estimateTokenCountInMessages(messages);
        int single = estimator.estimateTokenCountInMessage(messages.getFirst());

        assertEquals(chat.chat(messages).tokenUsage().inputTokenCount(), all);
        assertTrue(single < all, single + " of " + all);
        assertEquals(0, estimator.estimateTokenCountInText(""));
    }
}
