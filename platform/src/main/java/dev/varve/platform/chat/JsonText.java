package dev.varve.platform.chat;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

import java.util.Optional;

/** Writes and checks JSON text. */
final class JsonText {
    private static final ObjectMapper STRICT =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private JsonText() {}

    /** A string with its quotes. */
    static String quoted(String text) {
        return '"' + escaped(text) + '"';
    }

    /** The inside of a string. What is escaped in parts, put together, is the whole escaped. */
    static String escaped(CharSequence text) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (int index = 0; index < text.length(); index++) {
            char next = text.charAt(index);
            switch (next) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (next < ' ') {
                        out.append("\\u00")
                                .append(Character.forDigit(next >> 4, 16))
                                .append(Character.forDigit(next & 15, 16));
                    } else {
                        out.append(next);
                    }
                }
            }
        }
        return out.toString();
    }

    /** The value of a text, if it is JSON and nothing else. */
    static Optional<JsonNode> parse(String text) {
        try {
            JsonNode node = STRICT.readTree(text);
            return node.isMissingNode() ? Optional.empty() : Optional.of(node);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
