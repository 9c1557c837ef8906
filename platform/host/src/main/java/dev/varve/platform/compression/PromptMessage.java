package dev.varve.platform.compression;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Message in the form that chat templates expect. Compression reads its role, its text, and whether
 * it belongs to an ongoing conversation. All other fields pass through unchanged.
 *
 * @param fields plain values by name, such as {@code role} and {@code content}, which is a string
 *     or a list of parts; never changed
 */
public record PromptMessage(Map<String, Object> fields) {
    private static final String CONTENT = "content";
    private static final String TEXT = "text";
    private static final String TYPE = "type";

    /** Roles that only a model, or a tool that it called, uses. */
    private static final Set<String> ANSWERS = Set.of("assistant", "tool", "function");

    private static final Set<String> TEXT_TYPES = Set.of(TEXT, "input_text", "output_text");
    private static final Set<String> CALL_PARTS = Set.of("tool_use", "tool_result");
    private static final Set<String> CALL_ITEMS = Set.of("function_call", "function_call_output");

    /**
     * Whether messages continue a conversation, which means that one of them is a model's or a
     * tool's.
     */
    public static boolean isContinuation(List<PromptMessage> messages) {
        return messages.stream().anyMatch(PromptMessage::followsAnAnswer);
    }

    /** Returns the role; empty if it is missing. */
    public String role() {
        return fields.get("role") instanceof String role ? role : "";
    }

    /** Returns the text of the content, with several parts concatenated; empty if it is missing. */
    public String text() {
        return parts().stream()
                .filter(PromptMessage::isText)
                .map(PromptMessage::textOf)
                .collect(Collectors.joining());
    }

    /**
     * Returns a copy with another text. Parts that are no text, such as images and tool calls,
     * stay. If there are several texts, the first one is replaced and the others are removed.
     */
    public PromptMessage withText(String text) {
        Map<String, Object> changed = new LinkedHashMap<>(fields);
        changed.put(CONTENT, fields.get(CONTENT) instanceof List<?> ? parts(text) : text);
        return new PromptMessage(changed);
    }

    private List<Object> parts(String text) {
        List<Object> changed = new ArrayList<>();
        boolean placed = false;
        for (Object part : parts()) {
            if (!isText(part)) {
                changed.add(part);
            } else if (!placed) {
                changed.add(replaced(part, text));
                placed = true;
            }
        }
        return changed;
    }

    private static Object replaced(Object part, String text) {
        if (part instanceof Map<?, ?> fields) {
            Map<Object, Object> changed = new LinkedHashMap<>(fields);
            changed.put(TEXT, text);
            return changed;
        }
        return text;
    }

    private boolean followsAnAnswer() {
        return ANSWERS.contains(role())
                || fields.get("tool_calls") instanceof List<?> calls && !calls.isEmpty()
                || fields.get(TYPE) instanceof String type && CALL_ITEMS.contains(type)
                || parts().stream().anyMatch(part -> CALL_PARTS.contains(typeOf(part)));
    }

    private List<?> parts() {
        Object content = fields.get(CONTENT);
        if (content instanceof List<?> parts) {
            return parts;
        }
        return content instanceof String ? List.of(content) : List.of();
    }

    private static boolean isText(Object part) {
        return part instanceof String
                || part instanceof Map<?, ?> fields
                        && TEXT_TYPES.contains(typeOf(part))
                        && fields.get(TEXT) instanceof String;
    }

    private static String textOf(Object part) {
        return part instanceof Map<?, ?> fields ? (String) fields.get(TEXT) : (String) part;
    }

    private static String typeOf(Object part) {
        return part instanceof Map<?, ?> fields && fields.get(TYPE) instanceof String type
                ? type
                : "";
    }
}
