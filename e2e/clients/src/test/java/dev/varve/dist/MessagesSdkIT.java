package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.BadRequestException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.ContentBlock;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.StopReason;
import com.anthropic.models.messages.StructuredMessage;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolChoiceAny;
import com.anthropic.models.messages.ToolResultBlockParam;
import com.anthropic.models.messages.ToolUseBlock;

import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Anthropic's own client at {@code /v1/messages}: it finds all that it wants in what it gets. */
@Timeout(180)
class MessagesSdkIT {
    private static final String MODEL = "claude-sonnet-4-5";

    @TempDir Path folder;

    /** A field value that the answer must have. */
    public enum Size {
        SMALL,
        LARGE
    }

    /** An object of it; its texts are finite, so that toys end. */
    public static class Place {
        public Size size;
        public boolean capital;
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo:qwen35", "demo:gemma4", "demo:laguna"})
    @ByDay(2)
    void clientHandlesMessagesStreamsToolsAndErrors(String model) throws Exception {
        try (Varve.Server server =
                new Varve(Varve.INSTALLATION, folder)
                        .serve("--model", model, "--threads", 2, "--cache-ram", "64M")) {
            AnthropicClient client =
                    AnthropicOkHttpClient.builder()
                            .baseUrl(server.url().toString())
                            .apiKey("none")
                            .maxRetries(0)
                            .build();
            answers(client);
            streams(client);
            endsAtTheLimit(client);
            loopsOverTools(client);
            parsesObjects(client);
            refuses(client);
            client.close();
        }
    }

    private static void answers(AnthropicClient client) {
        Message message =
                client.messages()
                        .create(request().addUserMessage("What is 7 + 5?").build())
                        .validate();
        long counted =
                client.messages()
                        .countTokens(
                                MessageCountTokensParams.builder()
                                        .model(MODEL)
                                        .system("Be brief.")
                                        .addUserMessage("What is 7 + 5?")
                                        .build())
                        .inputTokens();

        assertEquals("7 + 5 = 12.", text(message));
        assertEquals(StopReason.END_TURN, message.stopReason().orElseThrow());
        assertEquals(
                counted,
                message.usage().inputTokens()
                        + message.usage().cacheReadInputTokens().orElseThrow());
    }

    private static void streams(AnthropicClient client) {
        MessageAccumulator accumulator = MessageAccumulator.create();
        try (StreamResponse<RawMessageStreamEvent> stream =
                client.messages()
                        .createStreaming(request().addUserMessage("What is 7 + 5?").build())) {
            stream.stream().peek(RawMessageStreamEvent::validate).forEach(accumulator::accumulate);
        }

        assertEquals("7 + 5 = 12.", text(accumulator.message()));
        assertTrue(accumulator.message().usage().outputTokens() > 0);
    }

    private static void endsAtTheLimit(AnthropicClient client) {
        Message message =
                client.messages()
                        .create(request().maxTokens(2).addUserMessage("What is 7 + 5?").build());

        assertEquals(StopReason.MAX_TOKENS, message.stopReason().orElseThrow());
    }

    private static void loopsOverTools(AnthropicClient client) {
        MessageCreateParams.Builder request =
                request()
                        .addUserMessage("What is the weather in Paris?")
                        .addTool(weather())
                        .toolChoice(ToolChoiceAny.builder().build());
        Message first = client.messages().create(request.build()).validate();

        assertEquals(StopReason.TOOL_USE, first.stopReason().orElseThrow());
        ToolUseBlock call =
                first.content().stream()
                        .flatMap(block -> block.toolUse().stream())
                        .findFirst()
                        .orElseThrow();
        assertEquals("get_weather", call.name());
        Message second =
                client.messages()
                        .create(
                                request.addMessage(first)
                                        .addUserMessageOfContentBlockParams(
                                                List.of(
                                                        ContentBlockParam.ofToolResult(
                                                                ToolResultBlockParam.builder()
                                                                        .toolUseId(call.id())
                                                                        .content(
                                                                                "{\"celsius\":"
                                                                                        + " 12}")
                                                                        .build())))
                                        .toolChoice(
                                                com.anthropic.models.messages.ToolChoiceAuto
                                                        .builder()
                                                        .build())
                                        .build())
                        .validate();
        assertFalse(second.content().isEmpty(), second.toString());
    }

    private static Tool weather() {
        return Tool.builder()
                .name("get_weather")
                .description("Get the weather in a city")
                .inputSchema(
                        Tool.InputSchema.builder()
                                .properties(
                                        Tool.InputSchema.Properties.builder()
                                                .putAdditionalProperty(
                                                        "city",
                                                        JsonValue.from(Map.of("type", "string")))
                                                .build())
                                .addRequired("city")
                                .build())
                .build();
    }

    private static void parsesObjects(AnthropicClient client) {
        StructuredMessage<Place> message =
                client.messages()
                        .create(
                                request()
                                        .addUserMessage("Describe Paris as an object.")
                                        .outputConfig(Place.class)
                                        .build());

        Place place =
                message.content().stream()
                        .flatMap(block -> block.text().stream())
                        .findFirst()
                        .orElseThrow()
                        .text();
        assertTrue(place.size != null);
    }

    private static void refuses(AnthropicClient client) {
        BadRequestException wrong =
                assertThrows(
                        BadRequestException.class,
                        () ->
                                client.messages()
                                        .create(
                                                request()
                                                        .addUserMessage("Hi")
                                                        .putAdditionalBodyProperty(
                                                                "top_p", JsonValue.from(5))
                                                        .build()));
        assertTrue(wrong.getMessage().contains("top_p"), wrong.getMessage());
        Message other =
                client.messages().create(request().model("nobody").addUserMessage("Hi").build());
        assertEquals(client.models().list().items().getFirst().id(), other.model().asString());
    }

    private static MessageCreateParams.Builder request() {
        return MessageCreateParams.builder()
                .model(MODEL)
                .system("Be brief.")
                .putAdditionalBodyProperty("temperature", JsonValue.from(0))
                .maxTokens(300);
    }

    private static String text(Message message) {
        StringBuilder text = new StringBuilder();
        for (ContentBlock block : message.content()) {
            block.text().ifPresent(part -> text.append(part.text()));
        }
        return text.toString();
    }
}
