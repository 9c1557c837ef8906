package dev.varve.platform.http.anthropic;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.conversation.ToolCallId;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a response into content blocks: each begins once and ends before the next one begins.
 * White space alone makes no text block.
 */
final class ContentBlockEvents {
    private enum Kind {
        NONE,
        THINKING,
        TEXT,
        CALL
    }

    private final List<StreamEvent> events = new ArrayList<>();
    private final StringBuilder space = new StringBuilder();
    private Kind open = Kind.NONE;
    private int index = -1;

    /** Returns the events of a piece. Parts of the open call come before the texts of the piece. */
    List<StreamEvent> add(ResponseParser.Piece piece) {
        List<ToolCallDelta> rest =
                piece.calls().stream().takeWhile(delta -> delta.name().isEmpty()).toList();
        rest.forEach(this::addCall);
        if (!piece.reasoning().isEmpty()) {
            addReasoning(piece.reasoning());
        }
        if (!piece.content().isEmpty()) {
            addText(piece.content());
        }
        piece.calls().stream().skip(rest.size()).forEach(this::addCall);
        return take();
    }

    /** Returns the events that end the response. */
    List<StreamEvent> finish() {
        close();
        return take();
    }

    private List<StreamEvent> take() {
        List<StreamEvent> taken = List.copyOf(events);
        events.clear();
        return taken;
    }

    private void addReasoning(String text) {
        if (open != Kind.THINKING) {
            begin(
                    Kind.THINKING,
                    Json.object().put("type", "thinking").put("thinking", "").put("signature", ""));
        }
        delta(Json.object().put("type", "thinking_delta").put("thinking", text));
    }

    private void addText(String text) {
        if (open != Kind.TEXT) {
            space.append(text);
            if (text.isBlank()) {
                return;
            }
            String all = space.toString();
            begin(Kind.TEXT, Json.object().put("type", "text").put("text", ""));
            delta(Json.object().put("type", "text_delta").put("text", all));
            return;
        }
        delta(Json.object().put("type", "text_delta").put("text", text));
    }

    private void addCall(ToolCallDelta part) {
        part.name()
                .ifPresent(
                        name -> {
                            ObjectNode block = Json.object().put("type", "tool_use");
                            block.put("id", ToolCallId.next("toolu_")).put("name", name);
                            block.putObject("input");
                            begin(Kind.CALL, block);
                        });
        if (!part.arguments().isEmpty()) {
            delta(
                    Json.object()
                            .put("type", "input_json_delta")
                            .put("partial_json", part.arguments()));
        }
    }

    private void begin(Kind kind, ObjectNode block) {
        close();
        open = kind;
        index++;
        ObjectNode event = event("content_block_start");
        event.set("content_block", block);
        send(event);
    }

    private void delta(ObjectNode delta) {
        ObjectNode event = event("content_block_delta");
        event.set("delta", delta);
        send(event);
    }

    private void close() {
        space.setLength(0);
        if (open == Kind.THINKING) {
            delta(Json.object().put("type", "signature_delta").put("signature", ""));
        }
        if (open != Kind.NONE) {
            send(event("content_block_stop"));
        }
        open = Kind.NONE;
    }

    private ObjectNode event(String type) {
        return Json.object().put("type", type).put("index", index);
    }

    private void send(ObjectNode event) {
        events.add(new StreamEvent.Named(event.get("type").stringValue(), event));
    }
}
