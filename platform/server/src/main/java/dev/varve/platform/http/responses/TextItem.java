package dev.varve.platform.http.responses;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Reasoning or a message: an item with one text part. */
final class TextItem extends OutputItem {
    /** Kind of text. */
    enum Kind {
        REASONING("rs_", "reasoning_text"),
        MESSAGE("msg_", "output_text");

        private final String idPrefix;
        private final String part;

        Kind(String idPrefix, String part) {
            this.idPrefix = idPrefix;
            this.part = part;
        }
    }

    private final Kind kind;
    private final StringBuilder text = new StringBuilder();
    private final ArrayNode logprobs = Json.MAPPER.createArrayNode();

    private TextItem(ResponsesEventQueue events, Kind kind, int index) {
        super(events, kind.idPrefix, index);
        this.kind = kind;
    }

    /** Begins an item. */
    static TextItem begun(ResponsesEventQueue events, Kind kind, int index) {
        TextItem item = new TextItem(events, kind, index);
        item.begin();
        item.textEvent("response.content_part.added").set("part", item.part(false));
        return item;
    }

    Kind kind() {
        return kind;
    }

    /** Returns whether the item has no text yet. */
    boolean isEmpty() {
        return text.isEmpty();
    }

    /** Appends text; {@code entries} are the log probabilities of its tokens. */
    void append(String more, List<ObjectNode> entries) {
        text.append(more);
        logprobs.addAll(entries);
        ObjectNode delta = textEvent("response." + kind.part + ".delta").put("delta", more);
        if (kind == Kind.MESSAGE) {
            delta.putArray("logprobs").addAll(entries);
        }
    }

    @Override
    void endContent() {
        ObjectNode done = textEvent("response." + kind.part + ".done").put("text", text.toString());
        if (kind == Kind.MESSAGE) {
            done.set("logprobs", logprobs);
        }
        textEvent("response.content_part.done").set("part", part(true));
    }

    @Override
    ObjectNode json(String status, boolean done) {
        ObjectNode item;
        if (kind == Kind.REASONING) {
            item = head("reasoning", status);
            item.putArray("summary");
        } else {
            item = head("message", status).put("role", "assistant");
        }
        ArrayNode content = item.putArray("content");
        if (done) {
            content.add(part(true));
        }
        return item;
    }

    private ObjectNode textEvent(String type) {
        return contentEvent(type).put("content_index", 0);
    }

    private ObjectNode part(boolean done) {
        ObjectNode part =
                Json.object().put("type", kind.part).put("text", done ? text.toString() : "");
        if (kind == Kind.MESSAGE) {
            part.putArray("annotations");
            part.set("logprobs", done ? logprobs : Json.MAPPER.createArrayNode());
        }
        return part;
    }
}
