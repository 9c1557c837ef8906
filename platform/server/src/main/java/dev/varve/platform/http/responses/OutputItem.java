package dev.varve.platform.http.responses;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.util.UUID;

/** An item of a response that is being written. */
abstract class OutputItem {
    private final ResponsesEventQueue events;
    private final String id;
    private final int index;

    /**
     * Makes an item.
     *
     * @param idPrefix prefix of its id
     * @param index its index in the response
     */
    OutputItem(ResponsesEventQueue events, String idPrefix, int index) {
        this.events = events;
        this.index = index;
        id = idPrefix + UUID.randomUUID().toString().replace("-", "");
    }

    /**
     * Returns the item in its current state.
     *
     * @param status its status
     * @param done whether the item has its whole content; if false it has none
     */
    abstract ObjectNode json(String status, boolean done);

    /** Adds the events that end the content. */
    abstract void endContent();

    /** Adds the event that begins the item. */
    final void begin() {
        event("response.output_item.added").set("item", json("in_progress", false));
    }

    /**
     * Adds the events that end the item.
     *
     * @param cut whether the response was cut off in this item by its token limit
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

    /** Adds an event about the item's content. */
    final ObjectNode contentEvent(String type) {
        return events.add(type).put("item_id", id).put("output_index", index);
    }

    /** Returns the first fields, which all items share. */
    final ObjectNode head(String type, String status) {
        return Json.object().put("id", id).put("type", type).put("status", status);
    }
}
