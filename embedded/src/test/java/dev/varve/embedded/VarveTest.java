package dev.varve.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Chats with a trained model in this process, whose plugins are on the class path. */
class VarveTest {
    private static final ChatRequest SUM = ChatRequest.of("What is 12 + 30?");
    private static final ChatRequest STORY =
            ChatRequest.of("Tell me a story.").withSampling(Sampling.DEFAULT.with("min_p", 0.1));

    private static Varve model;

    /** A person of a sentence. */
    record Person(String name, int age) {}

    /** Arguments of a tool. */
    record Place(String city) {}

    /** Collects the parts of a response. */
    private static final class Parts implements ChatListener {
        private final List<String> texts = new ArrayList<>();
        private final List<ToolCall> calls = new ArrayList<>();

        @Override
        public void onText(String text) {
            texts.add(text);
        }

        @Override
        public void onToolCall(ToolCall call) {
            calls.add(call);
        }
    }

    @BeforeAll
    static void open() {
        model = Varve.open(DemoModels.QWEN35, DemoModels.options());
    }

    @AfterAll
    static void close() {
        model.close();
    }

    @Test
    void respondsWithItsCost() {
        ChatResponse response = model.chat(SUM);

        assertTrue(response.text().contains("42"), response.text());
        assertEquals(FinishReason.STOP, response.finish());
        assertEquals(model.countTokens(SUM.messages()), response.usage().promptTokens());
        assertTrue(response.usage().responseTokens() > 1, response.usage().toString());
    }

    @Test
    void chatContinuesWithTheResponse() {
        ChatRequest first = ChatRequest.of("My name is Anna.");

        ChatResponse second =
                model.chat(
                        first.plus(
                                List.of(
                                        model.chat(first).message(),
                                        Message.user("What is my name?"))));

        assertTrue(second.text().contains("Anna"), second.text());
        assertTrue(second.usage().cachedTokens() > 0, second.usage().toString());
    }

    @Test
    void streamedPartsAreTheWholeText() {
        Parts parts = new Parts();

        ChatResponse response = model.start(SUM, parts).await();

        assertEquals(response.text(), String.join("", parts.texts));
        assertTrue(parts.texts.size() > 1, parts.texts.toString());
    }

    @Test
    void cancelledResponseFails() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        RunningChat running =
                model.start(
                        STORY.withSchema("{\"type\": \"array\", \"minItems\": 900}"),
                        new ChatListener() {
                            @Override
                            public void onText(String text) {
                                begun.countDown();
                            }
                        });
        begun.await();

        running.cancel();

        VarveException failure = assertThrows(VarveException.class, running::await);
        assertEquals(VarveException.Kind.CANCELLED, failure.kind());
    }

    @Test
    void interruptedThreadCancelsItsResponse() {
        RunningChat running = model.start(STORY, new ChatListener() {});
        Thread.currentThread().interrupt();

        VarveException failure = assertThrows(VarveException.class, running::await);

        assertEquals(VarveException.Kind.CANCELLED, failure.kind());
        assertTrue(Thread.interrupted());
    }

    @Test
    void failureOfTheListenerFailsTheResponse() {
        RunningChat running =
                model.start(
                        SUM,
                        new ChatListener() {
                            @Override
                            public void onText(String text) {
                                throw new IllegalArgumentException("of the test");
                            }
                        });

        IllegalStateException failure = assertThrows(IllegalStateException.class, running::await);

        assertEquals("of the test", failure.getCause().getMessage());
    }

    @Test
    void responseIsARecord() {
        Person person =
                model.chat(
                        ChatRequest.of("Return JSON with name and age: Anna is 34 years old."),
                        Person.class);

        assertEquals(new Person("Anna", 34), person);
    }

    @Test
    void cutOffRecordIsRefusedWithoutItsText() {
        ChatRequest request =
                ChatRequest.of("Return JSON with name and age: Anna is 34 years old.")
                        .withMaxTokens(3);

        VarveException failure =
                assertThrows(VarveException.class, () -> model.chat(request, Person.class));

        assertEquals(VarveException.Kind.INVALID_REQUEST, failure.kind());
        assertFalse(failure.getMessage().contains("Anna"), failure.getMessage());
    }

    @Test
    void limitEndsTheResponse() {
        ChatResponse response = model.chat(SUM.withMaxTokens(1));

        assertEquals(FinishReason.LENGTH, response.finish());
        assertEquals(1, response.usage().responseTokens());
    }

    @Test
    void stopStringEndsTheResponseAndIsNotPartOfIt() {
        ChatResponse response = model.chat(SUM.withStops(List.of("42")));

        assertEquals(FinishReason.STOP, response.finish());
        assertFalse(response.text().contains("42"), response.text());
    }

    @Test
    void toolIsCalledAndItsResultIsUsed() {
        ChatRequest request =
                ChatRequest.of("What is the weather in Paris?")
                        .withTools(
                                List.of(
                                        Tool.of(
                                                "get_weather",
                                                "Get the weather in a city",
                                                Place.class)));
        Parts parts = new Parts();

        ChatResponse call = model.start(request, parts).await();
        ChatResponse response =
                model.chat(
                        request.plus(
                                List.of(
                                        call.message(),
                                        Message.toolResult(
                                                call.calls().getFirst(),
                                                "{\"weather\": \"sunny\"}"))));

        assertEquals(FinishReason.TOOL_CALLS, call.finish());
        assertEquals(call.calls(), parts.calls);
        assertEquals("get_weather", call.calls().getFirst().name());
        assertEquals(new Place("Paris"), call.calls().getFirst().arguments(Place.class));
        assertTrue(response.text().contains("sunny"), response.text());
    }

    @Test
    void callCanBeRequired() {
        Tool tool = Tool.of("get_weather", "Get the weather in a city", Place.class);

        ChatResponse response =
                model.chat(SUM.withTools(List.of(tool)).withToolChoice(ToolChoice.REQUIRED));

        assertEquals(1, response.calls().size());
    }

    @Test
    void hiddenToolsAreNotInThePrompt() {
        Tool tool = Tool.of("get_weather", "Get the weather in a city", Place.class);

        ChatResponse response =
                model.chat(SUM.withTools(List.of(tool)).withToolChoice(ToolChoice.NONE));

        assertEquals(model.chat(SUM).usage().promptTokens(), response.usage().promptTokens());
    }

    @Test
    void wrongSchemaIsRefusedWithItsPlace() {
        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () ->
                                model.chat(
                                        SUM.withSchema(
                                                "{\"properties\": {\"a\": {\"type\":"
                                                        + " \"unknown\"}}}")));

        assertEquals(VarveException.Kind.INVALID_REQUEST, failure.kind());
        assertTrue(
                failure.getMessage().startsWith("schema at /properties/a"), failure.getMessage());
    }

    @Test
    void chatBeyondTheContextIsRefused() {
        String text = "word ".repeat(3000);

        VarveException failure = assertThrows(VarveException.class, () -> model.chat(text));

        assertEquals(VarveException.Kind.CONTEXT_OVERFLOW, failure.kind());
    }

    @Test
    void textContinuesWithoutATemplate() {
        assertFalse(model.complete("The colour", 4).isEmpty());
        assertEquals(0, model.countTokens(""));
    }

    @Test
    void factsAndLoadDescribeTheModel() {
        ModelInfo info = model.info();
        ModelLoad load = model.load();

        assertEquals("varve-demo-qwen35", info.name());
        assertEquals("qwen35", info.architecture());
        assertEquals(1024, info.contextTokens());
        assertTrue(info.hasTools());
        assertEquals(4, load.maxRunning());
        assertTrue(load.available());
    }

    @Test
    void missingFileIsReported() {
        VarveException failure =
                assertThrows(VarveException.class, () -> Varve.open(Path.of("no.gguf")));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, failure.kind());
    }

    @Test
    void wrongOptionIsNamed() {
        VarveOptions unknown = DemoModels.options().withDevices("npu:0");
        VarveOptions crowded = DemoModels.options().withParallel(1000);

        String device =
                assertThrows(
                                VarveException.class,
                                () -> Varve.open(DemoModels.QWEN35, unknown).close())
                        .getMessage();
        String parallel =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Varve.open(DemoModels.QWEN35, crowded).close())
                        .getMessage();

        assertFalse(device.contains("{"), device);
        assertTrue(device.contains("npu"), device);
        assertEquals("parallel: expected 1 to 256, found 1000", parallel);
    }

    @Test
    void templateOfTheOptionsReplacesThatOfTheModel() {
        VarveOptions options =
                DemoModels.options()
                        .withChatTemplate("{% for m in messages %}{{ m.content }}{% endfor %}");
        try (Varve plain = Varve.open(DemoModels.QWEN35, options)) {
            assertEquals(plain.countTokens("What is 12 + 30?"), plain.countTokens(SUM.messages()));
            assertFalse(plain.info().hasTools());
            assertThrows(
                    VarveException.class,
                    () -> plain.chat(SUM.withTools(List.of(new Tool("a", "b", "{}", false)))));
        }
    }
}
