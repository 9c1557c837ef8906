package dev.varve.platform.http.answer;

import tools.jackson.databind.node.ObjectNode;

/** An event of a stream. */
public sealed interface StreamEvent {
    /** An object without a name. */
    record Data(ObjectNode data) implements StreamEvent {}

    /** An object with the name of its kind. */
    record Named(String name, ObjectNode data) implements StreamEvent {}

    /** A text instead of an object, such as the end mark. */
    record Mark(String text) implements StreamEvent {}

    /** A line that clients skip; part of the block of the next event. */
    record Comment(String text) implements StreamEvent {}
}
