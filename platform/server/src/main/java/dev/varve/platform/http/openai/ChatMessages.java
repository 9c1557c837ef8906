package dev.varve.platform.http.openai;

import dev.varve.platform.http.conversation.BillingHeader;
import dev.varve.platform.http.conversation.HistoryToolCall;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.MessageContent;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads the messages of chat completions. */
final class ChatMessages {
    private static final List<String> ROLES =
            List.of("system", "developer", "user", "assistant", "tool", "function");
    private static final List<String> BESIDE_CONTENT =
            List.of("tool_calls", "function_call", "refusal", "reasoning", "reasoning_content");
    private static final String ROLE = "role";
    private static final String CONTENT = "content";
    private static final String SYSTEM = "system";
    private static final String REASONING = "reasoning_content";

    private ChatMessages() {}

    /** Reads messages without images. */
    static Transcript read(JsonNode messages) {
        return read(messages, ImageCollector.none());
    }

    static Transcript read(JsonNode messages, ImageCollector images) {
        if (!messages.isArray() || messages.isEmpty()) {
            throw ApiException.invalid("messages", "messages: expected a non-empty array");
        }
        List<Map<String, Object>> read = new ArrayList<>();
        Map<Optional<String>, String> toolNames = new HashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            String where = "messages[" + i + "]";
            if (!(messages.get(i) instanceof ObjectNode message)) {
                throw ApiException.invalid(where, where + ": expected an object");
            }
            read.add(message(where, message, toolNames, images));
        }
        return new Transcript(read, images.sources());
    }

    /**
     * Reads a message; {@code toolNames} has the tools' names by the ids of the calls so far, and
     * that of the last call without an id; calls of this message are added.
     */
    private static Map<String, Object> message(
            String where,
            ObjectNode message,
            Map<Optional<String>, String> toolNames,
            ImageCollector images) {
        Map<String, Object> read = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : message.properties()) {
            if (!entry.getValue().isNull()) {
                read.put(entry.getKey(), Json.plain(entry.getValue()));
            }
        }
        String role = message.path(ROLE).stringValue("");
        if (!ROLES.contains(role)) {
            throw ApiException.invalid(where + ".role", where + ".role: expected one of " + ROLES);
        }
        requireContent(where, role, message);
        read.put(ROLE, templateRole(role));
        read.put(CONTENT, content(where + ".content", role, message.path(CONTENT), images));
        RequestFields fields = RequestFields.at(where, message);
        if (role.equals("assistant")) {
            addReasoning(fields, read);
            List<HistoryToolCall> calls = HistoryToolCall.read(where + ".tool_calls", fields);
            read.remove("tool_calls");
            if (!calls.isEmpty()) {
                read.put("tool_calls", calls.stream().map(HistoryToolCall::forTemplate).toList());
                calls.forEach(call -> toolNames.put(call.id(), call.name()));
            }
        }
        if (read.get(ROLE).equals("tool")) {
            addToolName(fields, read, toolNames);
        }
        return read;
    }

    private static Object content(
            String where, String role, JsonNode content, ImageCollector images) {
        return switch (role) {
            case "tool", "function" -> MessageContent.ofTool(where, content, images).forTemplate();
            case "user" -> MessageContent.ofUser(where, content, images).forTemplate();
            case SYSTEM, "developer" -> MessageContent.read(where, content, BillingHeader::mask);
            default -> MessageContent.read(where, content, UnaryOperator.identity());
        };
    }

    /**
     * Checks that a message has content. An assistant's message may have other fields instead, and
     * a tool's result may be empty.
     */
    private static void requireContent(String where, String role, ObjectNode message) {
        RequestFields fields = new RequestFields(message);
        boolean saysSomething =
                fields.find(CONTENT).isPresent()
                        || templateRole(role).equals("tool")
                        || role.equals("assistant")
                                && BESIDE_CONTENT.stream()
                                        .anyMatch(name -> fields.find(name).isPresent());
        if (!saysSomething) {
            throw ApiException.invalid(
                    where + ".content",
                    where
                            + ".content: expected a string or an array of parts, found nothing"
                            + (role.equals("assistant") ? " and no tool_calls" : ""));
        }
    }

    private static String templateRole(String role) {
        return switch (role) {
            case "developer" -> SYSTEM;
            case "function" -> "tool";
            default -> role;
        };
    }

    /** Reads the reasoning. Clients use both names; {@code reasoning_content} takes precedence. */
    private static void addReasoning(RequestFields fields, Map<String, Object> read) {
        read.remove("reasoning");
        read.remove(REASONING);
        for (String name : List.of("reasoning", REASONING)) {
            fields.text(name).ifPresent(reasoning -> read.put(REASONING, reasoning));
        }
    }

    /**
     * Adds the tool's name to a result. Some templates need a name, so a result without a call has
     * one too.
     */
    private static void addToolName(
            RequestFields fields,
            Map<String, Object> read,
            Map<Optional<String>, String> toolNames) {
        Optional<String> id = fields.text("tool_call_id").filter(text -> !text.isEmpty());
        read.putIfAbsent("name", toolNames.getOrDefault(id, "unknown"));
    }
}
