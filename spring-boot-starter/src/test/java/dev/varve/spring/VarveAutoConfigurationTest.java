package dev.varve.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.embedded.Varve;
import dev.varve.testkit.Await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.support.ToolCallbacks;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.annotation.ToolParam;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.Banner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import reactor.core.publisher.Flux;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program of Spring Boot whose model is a demo model. */
class VarveAutoConfigurationTest {
    private static ConfigurableApplicationContext context;

    private final ChatModel model = context.getBean(ChatModel.class);

    /** The program. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Program {}

    /** Tools of the program. */
    static final class Weather {
        private final List<String> cities = new ArrayList<>();

        @Tool(name = "get_weather", description = "Get the weather in a city")
        String weather(@ToolParam(description = "the city") String city) {
            cities.add(city);
            return "{\"weather\": \"sunny\"}";
        }
    }

    @BeforeAll
    static void open() {
        Path file =
                Path.of(
                        System.getProperty("varve.test.root"),
                        "tools/demo-models/models/varve-demo-qwen35.gguf");
        context =
                start(
                        "varve.model=" + file,
                        "varve.cache-folder=" + Path.of("target", "varve-cache").toAbsolutePath(),
                        "varve.context-tokens=1024",
                        "varve.threads=1",
                        "varve.temperature=0");
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Program.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(properties)
                .run();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void responseHasUsageAndReason() {
        ChatResponse response = model.call(new Prompt("What is 12 + 30?"));

        assertTrue(response.getResult().getOutput().getText().contains("42"));
        assertEquals("STOP", response.getResult().getMetadata().getFinishReason());
        assertEquals("varve-demo-qwen35", response.getMetadata().getModel());
        assertTrue(response.getMetadata().getUsage().getCompletionTokens() > 1);
    }

    @Test
    void optionsLimitTheResponse() {
        ChatResponse response =
                model.call(
                        new Prompt(
                                new UserMessage("What is 12 + 30?"),
                                VarveChatOptions.builder().maxTokens(2).topK(1).build()));

        assertEquals(2, response.getMetadata().getUsage().getCompletionTokens());
    }

    @Test
    void streamedPartsAreTheWholeText() {
        Flux<ChatResponse> stream = model.stream(new Prompt("What is 12 + 30?"));

        List<ChatResponse> parts = stream.collectList().block();

        StringBuilder text = new StringBuilder();
        parts.forEach(part -> text.append(part.getResult().getOutput().getText()));
        assertEquals(model.call("What is 12 + 30?"), text.toString());
        assertTrue(parts.size() > 2, parts.toString());
        assertEquals("STOP", parts.getLast().getResult().getMetadata().getFinishReason());
    }

    /** The engine removes a cancelled response after its step, which the caller does not await. */
    @Test
    @Timeout(60)
    void cancelledStreamEndsItsResponse() {
        model.stream(new Prompt("What is a layer split?")).blockFirst();

        Varve varve = context.getBean(Varve.class);
        Await.until("nothing runs", () -> varve.load().running() == 0);
        assertTrue(varve.load().available());
    }

    @Test
    void clientCallsTools() {
        Weather weather = new Weather();

        String response =
                ChatClient.create(model)
                        .prompt("What is the weather in Paris?")
                        .tools(weather)
                        .call()
                        .content();

        assertEquals(List.of("Paris"), weather.cities);
        assertTrue(response.contains("sunny"), response);
        assertEquals(1, ToolCallbacks.from(weather).length);
    }

    @Test
    void schemaOfTheOptionsIsEnforced() {
        String schema =
                """
                {"type": "object", "properties": {"name": {"type": "string"},
                 "age": {"type": "integer"}}, "required": ["name", "age"],
                 "additionalProperties": false}
                """;
        VarveChatOptions options = VarveChatOptions.builder().outputSchema(schema).build();

        String text =
                model.call(
                                new Prompt(
                                        "Return JSON with name and age: Anna is 34 years old.",
                                        options.mutate().build()))
                        .getResult()
                        .getOutput()
                        .getText();

        assertTrue(text.contains("\"Anna\"") && text.contains("34"), text);
    }

    @Test
    void healthAndMetricsDescribeTheModel() {
        Health health = context.getBean(VarveHealthIndicator.class).health();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        context.getBean(VarveMetrics.class).bindTo(registry);

        assertEquals(Status.UP, health.getStatus());
        assertEquals("varve-demo-qwen35", health.getDetails().get("model"));
        assertEquals(0, registry.get("varve.responses.retried").functionCounter().count());
        assertEquals(0, registry.get("varve.responses.waiting").gauge().value());
    }

    @Test
    void programWithoutAModelHasNoBeans() {
        try (ConfigurableApplicationContext other = start()) {
            assertThrows(NoSuchBeanDefinitionException.class, () -> other.getBean(Varve.class));
            assertFalse(other.containsBean("varveChatModel"));
        }
    }
}
