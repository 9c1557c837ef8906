package dev.varve.platform.http.responses;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.util.UUID;

/** An item of an answer that is being written. Its events begin when it is made. */
abstract class OutputItem {
    private final ResponsesEventQueue events;
    private final String id;
    private final int index;

    /**
     * An item.
     *
     * @param idPrefix of its id
     * @param index its number in the answer
     */
    OutputItem(ResponsesEventQueue events, String idPrefix, int index) {
        this.events = events;
        this.index = index;
        id = idPrefix + UUID.randomUUID().toString().replace("-", "");
    }

    /**
     * The item as it is.
     *
     * @param status its status
     * @param done whether all of its content is there, or none yet
     */
    abstract ObjectNode json(String status, boolean done);

    /** Adds the events of its content's end. */
    abstract void endContent();

    /** Adds the event of its begin. */
    final void begin() {
        event("response.output_item.added").set("item", json("in_progress", false));
    }

    /**
     * Adds the events of its end.
     *
     * @param cut whether the answer ended in it for want of tokens
     * @return the item
     */
    final ObjectNode end(boolean cut) {
        endContent();
        ObjectNode item = json(cut ? "incomplete" : "completed", true);
        event("response.output_item.done").set("item", item);
        return item;
    }

    /** Adds an event about the item as a whole. */
    private ObjectNode event(String type) {
        return events.add(type).put("output_index", index);
    }

    /** Adds an event about what is in it. */
    final ObjectNode contentEvent(String type) {
        return events.add(type).put("item_id", id).put("output_index", index);
    }

    /** Its beginning, which all items have in common. */
    final ObjectNode head(String type, String status) {
        return Json.object().put("id", id).put("type", type).put("status", status);
    }
}
