package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.errors.BadRequestException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.StructuredChatCompletionCreateParams;

import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.UserMessage;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Clients request and parse objects of their own. The demo models answer with little sense. */
@Timeout(180)
class StructuredOutputIT {
    @TempDir Path folder;

    /** How far a journey is. */
    public enum Distance {
        NEAR,
        FAR
    }

    /** A stop of a journey. */
    public static class Stop {
        public String city;
        public int nights;
    }

    /** The object that the OpenAI client requests. */
    public static class Journey {
        @JsonPropertyDescription("Who travels")
        public String traveller;

        public Distance distance;
        public boolean returns;
        public List<Stop> stops;
    }

    /** A tool of the OpenAI client. */
    @JsonClassDescription("Books a room")
    public static class BookRoom {
        public String city;
        public Distance distance;
        public int nights;
    }

    /** The object that LangChain4j requests. */
    record Person(String name, int age, List<String> hobbies, Distance distance) {}

    /** An AI service of LangChain4j. */
    interface Extractor {
        @UserMessage("Who is it? {{it}}")
        Person person(String text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo:qwen35", "demo:gemma4", "demo:laguna"})
    @ByDay(3)
    void clientsGetTheRequestedObjects(String model) throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        try (Varve.Server server =
                varve.serve("--model", model, "--threads", 2, "--cache-ram", "64M")) {
            OpenAIClient client =
                    OpenAIOkHttpClient.builder()
                            .baseUrl(server.url() + "/v1")
                            .apiKey("none")
                            .maxRetries(0)
                            .build();
            parsesObjects(client, model);
            callsTools(client, model);
            refusesWhatItCannotEnforce(client, model);
            client.close();
            answersLangChain(server.url() + "/v1", model);
        }
    }

    private static void parsesObjects(OpenAIClient client, String model) {
        StructuredChatCompletionCreateParams<Journey> request =
                ChatCompletionCreateParams.builder()
                        .model(model)
                        .maxCompletionTokens(400)
                        .temperature(0)
                        .putAdditionalBodyProperty("seed", JsonValue.from(1))
                        .addUserMessage("Describe a journey to Paris as an object.")
                        .responseFormat(Journey.class)
                        .build();
        var choice = client.chat().completions().create(request).choices().getFirst();
        if (!choice.finishReason().toString().equals("length")) {
            Journey journey = choice.message().content().orElseThrow();
            assertTrue(journey.traveller != null && journey.distance != null);
            assertTrue(journey.stops.stream().allMatch(stop -> stop.city != null));
        }
    }

    private static void callsTools(OpenAIClient client, String model) {
        ChatCompletionCreateParams request =
                ChatCompletionCreateParams.builder()
                        .model(model)
                        .maxCompletionTokens(300)
                        .temperature(0)
                        .putAdditionalBodyProperty("seed", JsonValue.from(2))
                        .addUserMessage("Book a room in Paris for two nights.")
                        .addTool(BookRoom.class)
                        .toolChoice(ChatCompletionToolChoiceOption.Auto.REQUIRED)
                        .build();
        var message = client.chat().completions().create(request).choices().getFirst().message();
        var call = message.toolCalls().orElseThrow().getFirst().asFunction().function();
        BookRoom room = call.arguments(BookRoom.class);
        assertEquals("BookRoom", call.name());
        assertTrue(room.city != null && room.distance != null);
    }

    private static void refusesWhatItCannotEnforce(OpenAIClient client, String model) {
        Map<String, Object> schema =
                Map.of("type", "array", "uniqueItems", true, "items", Map.of("type", "string"));
        ChatCompletionCreateParams request =
                ChatCompletionCreateParams.builder()
                        .model(model)
                        .addUserMessage("Hello!")
                        .putAdditionalBodyProperty("guided_json", JsonValue.from(schema))
                        .build();
        BadRequestException refused =
                assertThrows(
                        BadRequestException.class,
                        () -> client.chat().completions().create(request));
        assertTrue(refused.getMessage().contains("unique"), refused.getMessage());
    }

    private static void answersLangChain(String url, String model) {
        OpenAiChatModel chat =
                OpenAiChatModel.builder()
                        .baseUrl(url)
                        .apiKey("none")
                        .modelName(model)
                        .maxRetries(0)
                        .seed(3)
                        .maxCompletionTokens(600)
                        .supportedCapabilities(Capability.RESPONSE_FORMAT_JSON_SCHEMA)
                        .strictJsonSchema(true)
                        .build();
        Person person =
                AiServices.create(Extractor.class, chat).person("Ada is 36 and likes numbers.");
        assertTrue(person.name != null && person.hobbies != null && person.distance != null);
    }
}
