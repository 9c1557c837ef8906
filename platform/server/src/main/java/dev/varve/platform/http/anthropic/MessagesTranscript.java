package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.conversation.HistoryToolCall;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.ImageSource;
import dev.varve.platform.http.conversation.MessageParts;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.conversation.TranscriptBuilder;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads {@code system} and {@code messages}. */
final class MessagesTranscript {
    private final TranscriptBuilder transcript = new TranscriptBuilder();

    private final ImageCollector images;

    private MessagesTranscript(ImageCollector images) {
        this.images = images;
    }

    static Transcript read(RequestFields fields, ImageCollector images) {
        MessagesTranscript reader = new MessagesTranscript(images);
        fields.find("system").ifPresent(reader::addSystem);
        JsonNode messages = fields.require("messages");
        if (!messages.isArray() || messages.isEmpty()) {
            throw ApiException.invalid("messages", "messages: expected a non-empty array");
        }
        for (int i = 0; i < messages.size(); i++) {
            String where = "messages[" + i + "]";
            if (!(messages.get(i) instanceof ObjectNode message)) {
                throw ApiException.invalid(where, where + ": expected an object");
            }
            reader.addMessage(where, message);
        }
        return reader.transcript.build(images);
    }

    private void addSystem(JsonNode system) {
        List<String> texts = systemTexts("system", system);
        if (!texts.stream().allMatch(String::isEmpty)) {
            transcript.system(texts);
        }
    }

    private static List<String> systemTexts(String where, JsonNode system) {
        List<String> texts = new ArrayList<>();
        ContentBlockReader.forEach(
                where,
                system,
                block -> {
                    block.requireType("text");
                    texts.add(block.text("text"));
                });
        return texts;
    }

    private void addMessage(String where, ObjectNode message) {
        String role = message.path("role").asString("");
        JsonNode content = message.path("content");
        if (content.isMissingNode() || content.isNull()) {
            throw ApiException.invalid(
                    where + ".content",
                    where + ".content: expected a string or an array of blocks, found nothing");
        }
        switch (role) {
            case "user" -> addUser(where + ".content", content);
            case "assistant" -> addAssistant(where + ".content", content);
            // Some clients send system messages among the others.
            case "system" -> transcript.system(systemTexts(where + ".content", content));
            default ->
                    throw ApiException.invalid(
                            where + ".role", where + ".role: expected user or assistant");
        }
    }

    /** Adds a user's message. Tool results come first, since they belong to the preceding calls. */
    private void addUser(String where, JsonNode content) {
        MessageParts parts = new MessageParts();
        boolean[] found = new boolean[2];
        ContentBlockReader.forEach(
                where,
                content,
                block -> {
                    if (block.isOfType("tool_result")) {
                        found[0] = true;
                        transcript.result(block.text("tool_use_id"), result(block));
                    } else {
                        found[1] = true;
                        add(block, parts, ContentBlockReader.Block::shownText);
                    }
                });
        if (found[1] || !found[0]) {
            transcript.user(parts);
        }
    }

    /** Adds a block: an image if the model reads them, and its text otherwise. */
    private void add(
            ContentBlockReader.Block block,
            MessageParts parts,
            Function<ContentBlockReader.Block, String> text) {
        if (images.accepts() && block.isOfType("image")) {
            images.add(ImageSource.ofBlock(block.where(), block.node()));
            parts.image();
        } else {
            parts.text(text.apply(block));
        }
    }

    private MessageParts result(ContentBlockReader.Block block) {
        MessageParts parts = new MessageParts();
        if (block.flag("is_error").orElse(false)) {
            parts.text("Error: ");
        }
        block.find("content")
                .ifPresent(
                        content ->
                                ContentBlockReader.forEach(
                                        block.where() + ".content",
                                        content,
                                        part ->
                                                add(
                                                        part,
                                                        parts,
                                                        ContentBlockReader.Block::returnedText)));
        return parts;
    }

    private void addAssistant(String where, JsonNode content) {
        transcript.assistantText("");
        ContentBlockReader.forEach(
                where,
                content,
                block -> {
                    switch (block.type()) {
                        case "text" -> transcript.assistantText(block.text("text"));
                        case "thinking" -> transcript.assistantReasoning(block.text("thinking"));
                        case "tool_use" ->
                                transcript.call(
                                        block.text("id"), block.text("name"), arguments(block));
                        case "redacted_thinking" -> {
                            // Encrypted: only the vendor can read it.
                        }
                        default -> block.skipIfOfServer();
                    }
                });
    }

    private static Object arguments(ContentBlockReader.Block block) {
        return Json.plain(
                HistoryToolCall.arguments(block.find("input").orElseGet(Json.MAPPER::nullNode)));
    }
}
