package dev.varve.platform.http.answer;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** An event of a stream. */
public sealed interface StreamEvent {
    /** An object without a name. */
    record Data(ObjectNode data) implements StreamEvent {
        /** Returns an event for each object. */
        public static List<StreamEvent> all(List<ObjectNode> objects) {
            return objects.stream().<StreamEvent>map(Data::new).toList();
        }
    }

    /** An object with the name of its kind. */
    record Named(String name, ObjectNode data) implements StreamEvent {}

    /** A text instead of an object, such as the end mark. */
    record Mark(String text) implements StreamEvent {}

    /** A line that clients skip; part of the block of the next event. */
    record Comment(String text) implements StreamEvent {}
}
