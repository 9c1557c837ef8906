package dev.varve.platform.http.answer;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** How a route writes answers: as one object, or as chunks of a stream. */
public interface AnswerFormat {
    /** Chunks before the first token. */
    List<ObjectNode> opening();

    /** The chunks of a token; empty where it settles no text and carries nothing else. */
    List<ObjectNode> token(ChoiceEvent.Token token);

    /** The last chunks of a choice. */
    List<ObjectNode> end(ChoiceEvent.Ended ended);

    /** The chunk with the usage. */
    ObjectNode usage(Usage usage);

    /** The answer as a whole, from the events of all choices in their order. */
    ObjectNode whole(List<ChoiceEvent> events, Usage usage);
}
