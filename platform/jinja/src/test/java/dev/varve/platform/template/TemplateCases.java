package dev.varve.platform.template;

import org.junit.jupiter.api.Assumptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;

/** Reads test cases and the templates they use. */
final class TemplateCases {
    static final ObjectMapper JSON = new ObjectMapper();

    /** The moment at which the recorded expectations were made. */
    static final Clock CLOCK = Clock.fixed(Instant.parse("2026-03-07T05:06:09Z"), ZoneOffset.UTC);

    private TemplateCases() {}

    static JsonNode resource(String name) {
        try (InputStream in = TemplateCases.class.getResourceAsStream("/template/" + name)) {
            return JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the folder of shared templates; without it the calling test is skipped. */
    static Path sharedTemplates() {
        Path folder = Path.of(System.getProperty("varve.test.shared", "")).resolve("golden/chat");
        Assumptions.assumeTrue(
                Files.isDirectory(folder), "no templates at varve.test.shared: " + folder);
        return folder;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> plain(JsonNode object) {
        return JSON.convertValue(object, Map.class);
    }

    static ChatTemplate compile(String source) {
        return ChatTemplate.compile(source, TemplateLimits.DEFAULT, CLOCK);
    }

    /**
     * The result of a render: a prompt, a failure, or the message with which the template refuses.
     */
    record Outcome(Optional<String> prompt, Optional<String> refusal) {
        static Outcome of(String source, Map<String, Object> variables) {
            try {
                return new Outcome(
                        Optional.of(compile(source).render(variables).text()), Optional.empty());
            } catch (TemplateException e) {
                return new Outcome(
                        Optional.empty(),
                        e.raisedByTemplate() ? Optional.of(e.getMessage()) : Optional.empty());
            }
        }

        /** Reads the fields {@code expected}, {@code raises} or {@code fails}. */
        static Outcome expected(JsonNode node) {
            String prompt =
                    node.path("expected").isString() ? node.path("expected").asString() : null;
            String refusal = node.path("raises").isString() ? node.path("raises").asString() : null;
            if (prompt != null && prompt.startsWith("RAISED:")) {
                return new Outcome(
                        Optional.empty(), Optional.of(prompt.substring("RAISED:".length())));
            }
            return new Outcome(Optional.ofNullable(prompt), Optional.ofNullable(refusal));
        }
    }
}
