package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import tools.jackson.databind.JsonNode;

import java.util.Optional;
import java.util.function.UnaryOperator;

/** The content of a message: a string, or parts. Parts of text are concatenated. */
public final class MessageContent {
    private MessageContent() {}

    /** Returns the text of a part. */
    @FunctionalInterface
    private interface PartReader {
        String read(String where, JsonNode part);
    }

    /**
     * Reads the text of a message; {@code rule} transforms each part. Parts are concatenated
     * without a separator, so a rule for whole lines must run on each part before that.
     */
    public static String read(String where, JsonNode content, UnaryOperator<String> rule) {
        return read(where, content, rule, MessageContent::shownPart);
    }

    /** Reads the result of a tool; a placeholder text replaces each part that is not text. */
    public static String ofTool(String where, JsonNode content) {
        return read(where, content, UnaryOperator.identity(), MessageContent::returnedPart);
    }

    /** Reads the content of a user's message, which may have images. */
    public static MessageParts ofUser(String where, JsonNode content, ImageCollector images) {
        return withImages(where, content, images, MessageContent::shownPart);
    }

    /** Reads the result of a tool, which may have images. */
    public static MessageParts ofTool(String where, JsonNode content, ImageCollector images) {
        return withImages(where, content, images, MessageContent::returnedPart);
    }

    private static MessageParts withImages(
            String where, JsonNode content, ImageCollector images, PartReader reader) {
        MessageParts parts = new MessageParts();
        if (!images.accepts() || !content.isArray()) {
            parts.text(read(where, content, UnaryOperator.identity(), reader));
            return parts;
        }
        for (int i = 0; i < content.size(); i++) {
            JsonNode part = content.get(i);
            String place = where + "[" + i + "]";
            if (part.isString()) {
                parts.text(part.stringValue());
            } else if (MediaKind.of(type(part)).filter(MediaKind.IMAGE::equals).isPresent()) {
                images.add(ImageSource.ofPart(place, part));
                parts.image();
            } else {
                parts.text(reader.read(where, part));
            }
        }
        return parts;
    }

    private static String read(
            String where, JsonNode content, UnaryOperator<String> rule, PartReader reader) {
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
            text.append(
                    rule.apply(part.isString() ? part.stringValue() : reader.read(where, part)));
        }
        return text.toString();
    }

    private static String shownPart(String where, JsonNode part) {
        String type = type(part);
        return textField(type)
                .map(field -> text(where, part, field))
                .orElseThrow(
                        () ->
                                MediaKind.of(type)
                                        .map(kind -> kind.refused(where))
                                        .orElseGet(() -> unsupported(where, type)));
    }

    private static String returnedPart(String where, JsonNode part) {
        Optional<String> field = textField(type(part));
        if (field.isEmpty()) {
            return MediaKind.omitted(type(part));
        }
        return part.path(field.get()).isNull() ? "" : text(where, part, field.get());
    }

    private static String type(JsonNode part) {
        return part.path("type").stringValue("");
    }

    /** Returns the field with the text of a part of this type; empty if it has none. */
    private static Optional<String> textField(String type) {
        return switch (type) {
            case "text", "input_text", "output_text" -> Optional.of("text");
            case "refusal" -> Optional.of("refusal");
            default -> Optional.empty();
        };
    }

    private static String text(String where, JsonNode part, String field) {
        if (!part.path(field).isString()) {
            throw ApiException.invalid(
                    where, where + ": expected a string in the " + field + " of each part");
        }
        return part.get(field).stringValue();
    }

    private static ApiException unsupported(String where, String type) {
        return ApiException.invalid(
                where,
                where
                        + ": parts of type '"
                        + (type.length() > 40 ? "…" : type)
                        + "' are not supported by this model; expected text");
    }
}
