package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import tools.jackson.databind.JsonNode;

import java.util.function.UnaryOperator;

/** The text of a message: a string, or parts that are put together. */
public final class MessageContent {
    private MessageContent() {}

    /**
     * {@code rule}: what each text becomes. Parts are put together without anything between them,
     * so a line that ends with its part must be seen before that.
     */
    public static String read(String where, JsonNode content, UnaryOperator<String> rule) {
        if (content.isMissingNode() || content.isNull()) {
            return "";
        }
        if (content.isString()) {
            return rule.apply(content.stringValue());
        }
        if (!content.isArray()) {
            throw ApiException.invalid(where, where + ": expected a string or an array of parts");
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : content) {
            text.append(rule.apply(part.isString() ? part.stringValue() : part(where, part)));
        }
        return text.toString();
    }

    private static String part(String where, JsonNode part) {
        String type = part.path("type").isString() ? part.get("type").stringValue() : "";
        String field =
                switch (type) {
                    case "text", "input_text", "output_text" -> "text";
                    case "refusal" -> "refusal";
                    default ->
                            throw ApiException.invalid(
                                    where,
                                    where
                                            + ": parts of type '"
                                            + (type.length() > 40 ? "…" : type)
                                            + "' are not supported by this model; expected text");
                };
        if (!part.path(field).isString()) {
            throw ApiException.invalid(
                    where, where + ": expected a string in the " + field + " of each part");
        }
        return part.get(field).stringValue();
    }
}
