package dev.varve.platform.http.responses;

import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/** The events of a response, numbered from 0. */
final class ResponsesEventQueue {
    private final List<StreamEvent> events = new ArrayList<>();
    private long next;

    /**
     * Adds an event.
     *
     * @return its data so far: type and number
     */
    ObjectNode add(String type) {
        ObjectNode data = Json.object().put("type", type).put("sequence_number", next++);
        events.add(new StreamEvent.Named(type, data));
        return data;
    }

    /** Adds an event about the whole response. */
    void add(String type, ObjectNode response) {
        add(type).set("response", response);
    }

    /** Continues the numbers of another queue. */
    void follow(ResponsesEventQueue others) {
        next = others.next;
    }

    /** Returns whether there was an event, in this queue or in the one that it continues. */
    boolean haveBegun() {
        return next > 0;
    }

    /** Removes and returns the pending events. */
    List<StreamEvent> take() {
        List<StreamEvent> taken = List.copyOf(events);
        events.clear();
        return taken;
    }
}
