package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.Reasoning;
import com.openai.models.ReasoningEffort;
import com.openai.models.responses.CustomTool;
import com.openai.models.responses.EasyInputMessage;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseIncludable;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ResponseStatus;
import com.openai.models.responses.ResponseStreamEvent;
import com.openai.models.responses.StructuredResponse;
import com.openai.models.responses.ToolChoiceOptions;
import com.openai.models.responses.WebSearchTool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** OpenAI's own client at {@code /v1/responses}: it finds all that it wants in what it gets. */
@Timeout(180)
class ResponsesSdkIT {
    private static final String MODEL = "demo:qwen35";

    @TempDir Path folder;

    /** A tool. */
    @JsonClassDescription("Get the weather in a city")
    public static class GetWeather {
        public String city;
    }

    /** The object that an answer must be. */
    public static class Place {
        public String city;
        public boolean large;
    }

    @Test
    void clientHandlesResponsesStreamsToolsAndErrors() throws Exception {
        try (Varve.Server server =
                new Varve(Varve.INSTALLATION, folder)
                        .serve("--model", MODEL, "--threads", 2, "--cache-ram", "64M")) {
            OpenAIClient client =
                    OpenAIOkHttpClient.builder()
                            .baseUrl(server.url() + "/v1")
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

    private static void answers(OpenAIClient client) {
        Response response =
                client.responses().create(request().input("What is 7 + 5?").build()).validate();

        assertEquals(ResponseStatus.COMPLETED, response.status().orElseThrow());
        assertEquals("7 + 5 = 12.", text(response));
        assertTrue(response.usage().orElseThrow().inputTokens() > 0);
    }

    private static void streams(OpenAIClient client) {
        ResponseCreateParams asked =
                request()
                        .instructions("Answer briefly.")
                        .input("What is 7 + 5?")
                        .reasoning(Reasoning.builder().effort(ReasoningEffort.LOW).build())
                        .addInclude(ResponseIncludable.MESSAGE_OUTPUT_TEXT_LOGPROBS)
                        .topLogprobs(2L)
                        .addTool(GetWeather.class)
                        .addTool(CustomTool.builder().name("note").description("Notes").build())
                        .addTool(
                                WebSearchTool.builder().type(WebSearchTool.Type.WEB_SEARCH).build())
                        .build();
        ResponseAccumulator accumulator = ResponseAccumulator.createWithSnapshots();
        List<ResponseStreamEvent> events = new ArrayList<>();
        try (StreamResponse<ResponseStreamEvent> stream =
                client.responses().createStreaming(asked)) {
            stream.stream()
                    .peek(ResponseStreamEvent::validate)
                    .peek(accumulator::accumulate)
                    .forEach(events::add);
        }

        assertTrue(events.getFirst().isCreated());
        assertTrue(events.getLast().isCompleted(), events.getLast().toString());
        Response response = events.getLast().asCompleted().response();
        assertFalse(response.output().isEmpty());
        assertEquals(response.output(), accumulator.reconstructedResponse().output());
        List<ResponseOutputItem> done =
                events.stream()
                        .filter(ResponseStreamEvent::isOutputItemDone)
                        .map(event -> event.asOutputItemDone().item())
                        .toList();
        assertEquals(response.output(), done);
    }

    private static void endsAtTheLimit(OpenAIClient client) {
        Response response =
                client.responses()
                        .create(request().input("What is 7 + 5?").maxOutputTokens(2).build())
                        .validate();

        assertEquals(ResponseStatus.INCOMPLETE, response.status().orElseThrow());
        assertEquals(
                "max_output_tokens",
                response.incompleteDetails().orElseThrow().reason().orElseThrow().asString());
    }

    private static void loopsOverTools(OpenAIClient client) {
        List<ResponseInputItem> input = new ArrayList<>();
        input.add(
                ResponseInputItem.ofEasyInputMessage(
                        EasyInputMessage.builder()
                                .role(EasyInputMessage.Role.USER)
                                .content("What is the weather in Paris?")
                                .build()));
        ResponseCreateParams.Builder request =
                request().addTool(GetWeather.class).toolChoice(ToolChoiceOptions.REQUIRED);
        Response first =
                client.responses().create(request.inputOfResponse(input).build()).validate();

        ResponseFunctionToolCall call =
                first.output().stream()
                        .flatMap(item -> item.functionCall().stream())
                        .findFirst()
                        .orElseThrow();
        assertTrue(call.arguments(GetWeather.class).city != null, call.toString());
        first.output().stream()
                .flatMap(item -> item.reasoning().stream())
                .forEach(item -> input.add(ResponseInputItem.ofReasoning(item)));
        input.add(ResponseInputItem.ofFunctionCall(call));
        input.add(
                ResponseInputItem.ofFunctionCallOutput(
                        ResponseInputItem.FunctionCallOutput.builder()
                                .callId(call.callId())
                                .output("{\"celsius\": 12, \"sky\": \"clear\"}")
                                .build()));
        Response second =
                client.responses()
                        .create(
                                request.inputOfResponse(input)
                                        .toolChoice(ToolChoiceOptions.AUTO)
                                        .build())
                        .validate();
        assertFalse(text(second).isEmpty(), second.toString());
    }

    private static void parsesObjects(OpenAIClient client) {
        StructuredResponse<Place> response =
                client.responses()
                        .create(
                                request()
                                        .input("Describe Paris as an object.")
                                        .text(Place.class)
                                        .build());

        response.rawResponse().validate();
        if (response.rawResponse().status().orElseThrow().equals(ResponseStatus.COMPLETED)) {
            Place place =
                    response.output().stream()
                            .flatMap(item -> item.message().stream())
                            .flatMap(message -> message.content().stream())
                            .flatMap(content -> content.outputText().stream())
                            .findFirst()
                            .orElseThrow();
            assertTrue(place.city != null);
        }
    }

    private static void refuses(OpenAIClient client) {
        BadRequestException kept =
                assertThrows(
                        BadRequestException.class,
                        () ->
                                client.responses()
                                        .create(
                                                request()
                                                        .input("Hi")
                                                        .previousResponseId("resp_1")
                                                        .build()));
        assertTrue(kept.getMessage().contains("stores no responses"), kept.getMessage());
        assertEquals("previous_response_id", kept.param().orElseThrow());
        BadRequestException wrong =
                assertThrows(
                        BadRequestException.class,
                        () ->
                                client.responses()
                                        .createStreaming(
                                                request()
                                                        .input("Hi")
                                                        .putAdditionalBodyProperty(
                                                                "top_p", JsonValue.from(5))
                                                        .build()));
        assertEquals(400, wrong.statusCode());
    }

    private static ResponseCreateParams.Builder request() {
        return ResponseCreateParams.builder()
                .model(MODEL)
                .store(false)
                .temperature(0.0)
                .maxOutputTokens(300);
    }

    private static String text(Response response) {
        StringBuilder text = new StringBuilder();
        response.output().stream()
                .flatMap(item -> item.message().stream())
                .flatMap(message -> message.content().stream())
                .flatMap(content -> content.outputText().stream())
                .forEach(part -> text.append(part.text()));
        return text.toString();
    }
}
