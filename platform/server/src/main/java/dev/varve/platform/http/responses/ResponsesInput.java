package dev.varve.platform.http.responses;

import dev.varve.platform.http.conversation.BillingHeader;
import dev.varve.platform.http.conversation.CustomTool;
import dev.varve.platform.http.conversation.HistoryToolCall;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.MediaKind;
import dev.varve.platform.http.conversation.MessageContent;
import dev.varve.platform.http.conversation.MessageParts;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.conversation.TranscriptBuilder;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Reads {@code instructions} and {@code input}. Consecutive items of an assistant become one
 * message; items about actions of OpenAI's servers are skipped.
 */
final class ResponsesInput {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final Set<String> SKIPPED =
            Set.of(
                    "additional_tools",
                    "apply_patch_call",
                    "apply_patch_call_output",
                    "code_interpreter_call",
                    "compaction",
                    "computer_call",
                    "computer_call_output",
                    "configuration_update",
                    "file_search_call",
                    "ghost_snapshot",
                    "image_generation_call",
                    "mcp_approval_request",
                    "mcp_approval_response",
                    "mcp_call",
                    "mcp_list_tools",
                    "program",
                    "program_output",
                    "shell_call",
                    "shell_call_output",
                    "tool_search_call",
                    "tool_search_output",
                    "web_search_call");

    private final ToolNames names;
    private final TranscriptBuilder transcript = new TranscriptBuilder();

    private final ImageCollector images;

    private ResponsesInput(ToolNames names, ImageCollector images) {
        this.names = names;
        this.images = images;
    }

    /** Reads the fields. */
    static Transcript read(RequestFields fields, ToolNames names, ImageCollector images) {
        ResponsesInput input = new ResponsesInput(names, images);
        fields.text("instructions")
                .filter(text -> !text.isEmpty())
                .ifPresent(input.transcript::system);
        input.readInput(fields.require("input"));
        return input.transcript.build(images);
    }

    private void readInput(JsonNode input) {
        if (input.isString()) {
            transcript.user(input.stringValue());
            return;
        }
        if (!input.isArray() || input.isEmpty()) {
            throw ApiException.invalid("input", "input: expected a string or a non-empty array");
        }
        for (int i = 0; i < input.size(); i++) {
            String where = "input[" + i + "]";
            if (!(input.get(i) instanceof ObjectNode item)) {
                throw RequestFields.wrongType(where, "an object", input.get(i));
            }
            readItem(where, RequestFields.at(where, item));
        }
        if (transcript.isEmpty()) {
            throw ApiException.invalid("input", "input: expected at least one item with content");
        }
    }

    private void readItem(String where, RequestFields item) {
        String type = item.text("type").orElse("message");
        switch (type) {
            case "message" -> readMessage(where, item);
            case "reasoning" -> readReasoning(where, item);
            case "function_call" ->
                    transcript.call(
                            text(where, item, "call_id"),
                            toolName(where, item),
                            Json.plain(HistoryToolCall.arguments(orNull(item, "arguments"))));
            case "custom_tool_call" ->
                    transcript.call(
                            text(where, item, "call_id"),
                            toolName(where, item),
                            CustomTool.arguments(item.text("input").orElse("")));
            case "function_call_output", "custom_tool_call_output" ->
                    transcript.result(text(where, item, "call_id"), result(where, item));
            case "local_shell_call" -> readShellCall(where, item);
            case "local_shell_call_output" ->
                    transcript.result(
                            item.text("call_id").orElseGet(() -> text(where, item, "id")),
                            result(where, item));
            case "item_reference" ->
                    throw ApiException.invalid(
                            where,
                            where
                                    + ": the server stores no responses, so it cannot resolve a"
                                    + " reference; send the item itself");
            default -> {
                MediaKind.of(type)
                        .ifPresent(
                                kind -> {
                                    throw kind.refused(where);
                                });
                skip(where, type, item);
            }
        }
    }

    private void readMessage(String where, RequestFields message) {
        String role = text(where, message, "role");
        String place = where + ".content";
        JsonNode content = message.require("content");
        switch (role) {
            case "user" -> transcript.user(MessageContent.ofUser(place, content, images));
            case "assistant" -> transcript.assistantText(content(place, content));
            case "system", "developer" ->
                    transcript.system(MessageContent.read(place, content, BillingHeader::mask));
            default ->
                    throw ApiException.invalid(
                            where + ".role",
                            where + ".role: expected user, assistant, system or developer");
        }
    }

    /** Reads the reasoning, or its summary if there is no other text. */
    private void readReasoning(String where, RequestFields item) {
        String text = texts(where + ".content", item.find("content"));
        String reasoning = text.isEmpty() ? texts(where + ".summary", item.find("summary")) : text;
        if (!reasoning.isEmpty()) {
            transcript.assistantReasoning(reasoning);
        }
    }

    private static String texts(String where, Optional<JsonNode> parts) {
        StringBuilder text = new StringBuilder();
        parts.ifPresent(
                array -> {
                    if (!array.isArray()) {
                        throw RequestFields.wrongType(where, "an array", array);
                    }
                    for (JsonNode part : array) {
                        if (!part.path("text").isString()) {
                            throw ApiException.invalid(
                                    where, where + ": expected a string in the text of each part");
                        }
                        text.append(part.get("text").stringValue());
                    }
                });
        return text.toString();
    }

    private void readShellCall(String where, RequestFields item) {
        ObjectNode action =
                item.object("action")
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                where + ".action", where + ".action: missing"));
        transcript.call(
                item.text("call_id").orElseGet(() -> text(where, item, "id")),
                "local_shell",
                Json.plain(action));
    }

    private String toolName(String where, RequestFields item) {
        return names.model(item.text("namespace"), text(where, item, "name"));
    }

    private static String text(String where, RequestFields item, String name) {
        return item.text(name)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        where + "." + name,
                                        where + "." + name + ": expected a string, found nothing"));
    }

    private static String content(String where, JsonNode content) {
        return MessageContent.read(where, content, UnaryOperator.identity());
    }

    /** Returns the result of a tool; an empty text if absent. */
    private MessageParts result(String where, RequestFields item) {
        return MessageContent.ofTool(where + ".output", orNull(item, "output"), images);
    }

    private static JsonNode orNull(RequestFields item, String name) {
        return item.find(name).orElseGet(Json.MAPPER::nullNode);
    }

    /** Skips an item. An item of an unknown type is refused if it has text. */
    private static void skip(String where, String type, RequestFields item) {
        if (!SKIPPED.contains(type)
                && List.of("role", "content", "output", "text").stream()
                        .anyMatch(name -> item.find(name).isPresent())) {
            throw ApiException.invalid(
                    where + ".type",
                    where + ".type: the server does not support this type of item");
        }
        LOG.log(System.Logger.Level.DEBUG, where + " is skipped: this type of item has no text");
    }
}
