package dev.varve.platform.chat;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

import java.util.Optional;

/** Parses JSON text. */
final class StrictJson {
    private static final ObjectMapper STRICT =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private StrictJson() {}

    /** Returns the value of a text, if it is JSON and nothing else. */
    static Optional<JsonNode> parse(String text) {
        try {
            JsonNode node = STRICT.readTree(text);
            return node.isMissingNode() ? Optional.empty() : Optional.of(node);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
