package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** How a route writes one answer: as an object, or as the events of a stream. */
public interface ResponseSerializer {
    /** The mark behind the last event, in the way of OpenAI. */
    StreamEvent DONE = new StreamEvent.Mark("[DONE]");

    /** The stream began before, with signs of life; called at most once, before all others. */
    default void follow(HeartbeatFormat early) {}

    /** Events before the first token. */
    List<StreamEvent> opening();

    /** The events of a token; empty where it settles no text and carries nothing else. */
    List<StreamEvent> token(ChoiceEvent.Token token);

    /** The events of a choice that ended. */
    List<StreamEvent> end(ChoiceEvent.Ended ended);

    /** The last events, behind those of all choices. */
    List<StreamEvent> closing(Usage usage);

    /**
     * The last events of a stream that breaks off; they pretend no end.
     *
     * @param names what settings are called
     */
    List<StreamEvent> failure(ApiException error, SettingNames names);

    /** How a stream of these events is written. */
    default StreamKind stream() {
        return StreamKind.SSE;
    }

    /** An event for a client that has to wait, which some of them take for a sign of life. */
    default StreamEvent waiting() {
        return new StreamEvent.Comment("waiting");
    }

    /** Whether that event has its place among the others, and may not be said again. */
    default boolean waitsInOrder() {
        return false;
    }

    /** The answer as a whole, from the events of all choices in their order. */
    ObjectNode whole(List<ChoiceEvent> events, Usage usage);
}
