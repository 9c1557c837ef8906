package dev.varve.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClient.EntityParamSpec;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.converter.BeanOutputConverter;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.support.ToolCallbacks;
import org.springframework.ai.tool.annotation.Tool;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Spring AI requests objects, calls tools, reads streams and reports errors. The demo models answer
 * with little sense.
 */
@Timeout(180)
class SpringAiIT {
    private static final int ROUNDS = 3;
    private static final String BOOKED = "booked, and nothing more to say";

    @TempDir Path folder;

    /** A thing that may be bought. */
    enum Kind {
        BOOK,
        MAP
    }

    /** One line of an order. */
    record Item(String title, Kind kind, int count) {}

    /** The object that the test requests. */
    record Order(String customer, boolean paid, List<Item> items) {}

    /** A place with a hotel. */
    enum City {
        PARIS,
        ROME
    }

    /**
     * A tool whose result is the answer, since a model that has to call would call for ever. Its
     * arguments end, whatever a model likes best on this processor.
     */
    static final class Hotel {
        private int calls;

        @Tool(description = "Books a room", returnDirect = true)
        String bookRoom(City city, boolean breakfast) {
            calls += city == null ? 0 : 1;
            return breakfast ? BOOKED + " and breakfast" : BOOKED;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo:qwen35", "demo:gemma4", "demo:laguna"})
    @ByDay(1)
    void springAiGetsTheRequestedObjects(String model) throws Exception {
        try (InstalledServer server = InstalledServer.start(model, folder)) {
            OpenAiChatModel chat =
                    OpenAiChatModel.builder().options(options(server.url() + "/v1", model)).build();
            ChatClient client = ChatClient.create(chat);

            answersWithAnEntity(client);
            answersInTheSchemaOfAConverter(client);
            callsATool(client);
            callsToolsRoundByRound(chat);
            streamsWhatItSaysAtOnce(client);
            leavesAStream(client, server);
            namesTheOnlyModel(client);
        }
    }

    private static OpenAiChatOptions options(String url, String model) {
        return OpenAiChatOptions.builder()
                .baseUrl(url)
                .apiKey("none")
                .model(model)
                .maxRetries(0)
                .maxCompletionTokens(1000)
                .temperature(0.0)
                .build();
    }

    private static void answersWithAnEntity(ChatClient client) {
        requireWhole(
                client.prompt()
                        .user("Ada orders two maps.")
                        .call()
                        .entity(Order.class, EntityParamSpec::useProviderStructuredOutput));
    }

    private static void answersInTheSchemaOfAConverter(ChatClient client) {
        BeanOutputConverter<Order> converter = new BeanOutputConverter<>(Order.class);
        requireWhole(
                client.prompt()
                        .options(greedy(1000).outputSchema(converter.getJsonSchema()))
                        .user("Ada orders two books.")
                        .call()
                        .entity(converter));
    }

    private static void requireWhole(Order order) {
        assertTrue(order.customer != null, order.toString());
        assertTrue(
                order.items.stream().allMatch(item -> item.title != null && item.kind != null),
                order.toString());
    }

    private static void callsATool(ChatClient client) {
        Hotel hotel = new Hotel();

        String answer =
                client.prompt()
                        .options(greedy(1000).toolChoice("required"))
                        .tools(hotel)
                        .user("Book a room in Paris with breakfast.")
                        .call()
                        .content();

        assertTrue(answer.contains(BOOKED), answer);
        assertEquals(1, hotel.calls);
    }

    private static void callsToolsRoundByRound(OpenAiChatModel chat) {
        OpenAiChatOptions calling =
                greedy(200)
                        .toolCallbacks(ToolCallbacks.from(new Hotel()))
                        .toolChoice("required")
                        .build();
        List<Message> messages = new ArrayList<>();
        messages.add(new UserMessage("Book rooms in Paris."));
        for (int round = 0; round < ROUNDS; round++) {
            Prompt prompt = new Prompt(List.copyOf(messages), calling);
            AssistantMessage answer =
                    round % 2 == 0
                            ? chat.call(prompt).getResult().getOutput()
                            : chat.stream(prompt)
                                    .filter(ChatResponse::hasToolCalls)
                                    .blockLast()
                                    .getResult()
                                    .getOutput();
            AssistantMessage.ToolCall call = answer.getToolCalls().getFirst();
            assertEquals("bookRoom", call.name());
            assertTrue(call.arguments().endsWith("}"), call.arguments());
            messages.add(answer);
            messages.add(
                    ToolResponseMessage.builder()
                            .responses(
                                    answer.getToolCalls().stream().map(SpringAiIT::booked).toList())
                            .build());
        }
        OpenAiChatOptions plain = greedy(8).build();

        assertTrue(
                chat.call(new Prompt(messages, plain)).getMetadata().getUsage().getPromptTokens()
                        > 0);
    }

    private static ToolResponseMessage.ToolResponse booked(AssistantMessage.ToolCall call) {
        return new ToolResponseMessage.ToolResponse(call.id(), call.name(), "\"booked\"");
    }

    private static void streamsWhatItSaysAtOnce(ChatClient client) {
        var asked = client.prompt().options(greedy(40)).user("What is 7 + 5?");

        String whole = asked.call().content();
        List<String> pieces = asked.stream().content().collectList().block();

        assertTrue(pieces.size() > 1, pieces.toString());
        assertEquals(whole, String.join("", pieces));
    }

    private static OpenAiChatOptions.Builder greedy(int most) {
        return OpenAiChatOptions.builder().temperature(0.0).maxCompletionTokens(most);
    }

    private static void leavesAStream(ChatClient client, InstalledServer server) {
        client
                .prompt()
                .options(greedy(8000).extraBody(Map.of("ignore_eos", true)))
                .user("What is 7 + 5?")
                .stream()
                .content()
                .take(2)
                .blockLast();

        Await.until(
                "it is counted as gone",
                () -> server.metrics().value("varve_client_disconnects_total") == 1);
        Await.until("it has ended", () -> server.metrics().value("varve_requests_running") == 0);
    }

    /** Any name is that of the only model, whose own name the response has. */
    private static void namesTheOnlyModel(ChatClient client) {
        var asked = client.prompt().options(OpenAiChatOptions.builder().model("none")).user("Hi");

        ChatResponse response = asked.call().chatResponse();

        assertTrue(response.getMetadata().getModel().startsWith("varve-demo-"), response::toString);
    }
}
