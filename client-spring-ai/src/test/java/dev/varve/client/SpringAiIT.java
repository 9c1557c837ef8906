package dev.varve.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClient.EntityParamSpec;
import org.springframework.ai.converter.BeanOutputConverter;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.annotation.Tool;

import java.nio.file.Path;
import java.util.List;

/**
 * What Spring AI makes of objects of its own and of a tool, with the demo models, which make sense
 * of little.
 */
@Timeout(180)
class SpringAiIT {
    private static final String BOOKED = "booked, and nothing more to say";

    @TempDir Path folder;

    /** A thing that may be bought. */
    enum Kind {
        BOOK,
        MAP
    }

    /** One line of an order. */
    record Item(String title, Kind kind, int count) {}

    /** What is asked for. */
    record Order(String customer, boolean paid, List<Item> items) {}

    /** A tool whose result is the answer, since a model that has to call would call for ever. */
    static final class Hotel {
        private int calls;

        @Tool(description = "Books a room", returnDirect = true)
        String bookRoom(String city, int nights) {
            calls += city == null || nights == Integer.MIN_VALUE ? 0 : 1;
            return BOOKED;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo:qwen35", "demo:gemma4", "demo:laguna"})
    void springAiGetsTheObjectsThatItAsksFor(String model) throws Exception {
        try (InstalledServer server = InstalledServer.start(model, folder)) {
            ChatClient client =
                    ChatClient.create(
                            OpenAiChatModel.builder()
                                    .options(options(server.url() + "/v1", model))
                                    .build());

            answersWithAnEntity(client);
            answersInTheSchemaOfAConverter(client);
            callsATool(client);
        }
    }

    private static OpenAiChatOptions options(String url, String model) {
        return OpenAiChatOptions.builder()
                .baseUrl(url)
                .apiKey("none")
                .model(model)
                .maxRetries(0)
                .maxCompletionTokens(1000)
                .seed(4)
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
                        .options(
                                OpenAiChatOptions.builder().outputSchema(converter.getJsonSchema()))
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
                        .options(OpenAiChatOptions.builder().toolChoice("required"))
                        .tools(hotel)
                        .user("Book a room in Paris for two nights.")
                        .call()
                        .content();

        assertTrue(answer.contains(BOOKED), answer);
        assertEquals(1, hotel.calls);
    }
}
