package dev.varve.platform.http.json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Map;
import java.util.Optional;

/** Checks the range of numbers: JSON allows {@code 1e999}, a double does not. */
final class FiniteNumberCheck {
    static final String WORDS = "has a number beyond the range of a double";
    private static final int MAX_SHOWN = 200;

    private FiniteNumberCheck() {}

    /** Throws a 400 with the path of the first number that is beyond the range. */
    static void require(ObjectNode body) {
        for (Map.Entry<String, JsonNode> field : body.properties()) {
            Optional<String> place = beyond(field.getValue());
            if (place.isPresent()) {
                String name = shown(field.getKey());
                String where = place.get().isEmpty() ? "" : " at " + shown(place.get());
                throw ApiException.invalid(name, name + where + ": " + WORDS);
            }
        }
    }

    /**
     * Returns a JSON pointer to the first number that is beyond the range; empty if all are within.
     */
    static Optional<String> beyond(JsonNode node) {
        if (node.isDouble()) {
            return Double.isFinite(node.doubleValue()) ? Optional.empty() : Optional.of("");
        }
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            Optional<String> place = beyond(entry.getValue());
            if (place.isPresent()) {
                return place.map(rest -> "/" + entry.getKey() + rest);
            }
        }
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            Optional<String> place = beyond(node.get(i));
            if (place.isPresent()) {
                int index = i;
                return place.map(rest -> "/" + index + rest);
            }
        }
        return Optional.empty();
    }

    private static String shown(String text) {
        return text.length() > MAX_SHOWN ? "…" : text;
    }
}
