package dev.varve.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.embedded.Embedder;
import dev.varve.testkit.WordVectorModel;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.boot.Banner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A program of Spring Boot with a model for embeddings, and none for chats. */
class VarveEmbeddingAutoConfigurationTest {
    @TempDir static Path folder;

    private static ConfigurableApplicationContext context;

    private final EmbeddingModel model = context.getBean(EmbeddingModel.class);
    private final Embedder embedder = context.getBean(Embedder.class);

    /** The program. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Program {}

    @BeforeAll
    static void open() throws IOException {
        Path file = WordVectorModel.ofTexts(List.of("a cat", "the dogs")).write(folder);
        context =
                start(
                        "varve.embedding.model=" + file,
                        "varve.embedding.threads=1",
                        "varve.embedding.max-tokens=32",
                        "varve.embedding.dimension=64",
                        "varve.cache-folder=" + Path.of("target", "varve-cache").toAbsolutePath());
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
    void responseHasVectorsWithIndexNameAndUsage() {
        EmbeddingResponse response = model.embedForResponse(List.of("a cat", "dogs"));

        assertArrayEquals(embedder.embed("dogs"), response.getResults().get(1).getOutput(), 1e-6f);
        assertEquals(1, response.getResults().get(1).getIndex());
        assertEquals(embedder.info().name(), response.getMetadata().getModel());
        assertEquals(4 + 3, response.getMetadata().getUsage().getTotalTokens());
    }

    @Test
    void propertiesAndOptionsSetTheLength() {
        EmbeddingRequest request =
                new EmbeddingRequest(
                        List.of("a cat"), EmbeddingOptions.builder().dimensions(8).build());

        assertEquals(64, model.dimensions());
        assertEquals(64, model.embed("a cat").length);
        assertEquals(8, model.call(request).getResult().getOutput().length);
        assertEquals(32, embedder.maxTokens());
    }

    @Test
    void documentIsEmbeddedByItsText() {
        assertArrayEquals(embedder.embed("a cat"), model.embed(new Document("a cat")), 1e-6f);
    }

    @Test
    void programWithoutTheModelHasNoBeans() {
        assertFalse(context.containsBean("varveChatModel"));
        try (ConfigurableApplicationContext other = start()) {
            assertFalse(other.containsBean("varveEmbeddingModel"));
        }
    }

    @Test
    void modelIsClosedWithTheContext() {
        Path file = Path.of(context.getEnvironment().getProperty("varve.embedding.model"));
        Embedder closed;
        try (ConfigurableApplicationContext other =
                start(
                        "varve.embedding.model=" + file,
                        "varve.cache-folder="
                                + Path.of("target", "varve-cache").toAbsolutePath())) {
            closed = other.getBean(Embedder.class);
        }

        assertThrows(VarveException.class, () -> closed.embed("a cat"));
    }
}
