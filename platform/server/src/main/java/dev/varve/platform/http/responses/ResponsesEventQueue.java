package dev.varve.platform.http.responses;

import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/** The events of an answer, numbered from 0. */
final class ResponsesEventQueue {
    private final List<StreamEvent> events = new ArrayList<>();
    private long next;

    /**
     * Adds an event.
     *
     * @return what it says so far: its type and number
     */
    ObjectNode add(String type) {
        ObjectNode data = Json.object().put("type", type).put("sequence_number", next++);
        events.add(new StreamEvent.Named(type, data));
        return data;
    }

    /** Adds an event about the whole answer. */
    void add(String type, ObjectNode response) {
        add(type).set("response", response);
    }

    /** Its numbers go on behind those of other events. */
    void follow(ResponsesEventQueue others) {
        next = others.next;
    }

    /** Whether there was one, here or where it goes on. */
    boolean haveBegun() {
        return next > 0;
    }

    /** Those that were not taken yet. */
    List<StreamEvent> take() {
        List<StreamEvent> taken = List.copyOf(events);
        events.clear();
        return taken;
    }
}
