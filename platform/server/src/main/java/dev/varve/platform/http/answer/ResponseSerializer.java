package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;

/** Serializes one response of a route, as an object or as the events of a stream. */
public interface ResponseSerializer {
    /** OpenAI's mark after the last event. */
    StreamEvent DONE = new StreamEvent.Mark("[DONE]");

    /** Returns the id of the response; empty if its format has none. */
    default Optional<String> id() {
        return Optional.empty();
    }

    /**
     * Continues a stream that began with heartbeats; called at most once, before all other methods.
     */
    default void follow(HeartbeatFormat early) {}

    /** Returns the events before the first token. */
    default List<StreamEvent> opening() {
        return List.of();
    }

    /** Returns the events of a token; empty if it completes no text and carries no other data. */
    List<StreamEvent> token(ChoiceEvent.Token token);

    /** Returns the events of a choice that ended. */
    List<StreamEvent> end(ChoiceEvent.Ended ended);

    /** Returns the last events, after those of all choices. */
    List<StreamEvent> closing(Usage usage);

    /**
     * Returns the last events of a failed stream, by default in OpenAI's form; they contain no
     * finish reason.
     *
     * @param names names of settings in messages
     */
    default List<StreamEvent> failure(ApiException error, SettingNames names) {
        return HeartbeatFormat.OPENAI.failure(error, names);
    }

    /** Returns how a stream of these events is written. */
    default StreamKind stream() {
        return StreamKind.SSE;
    }

    /** Returns the heartbeat event for a waiting client. */
    default StreamEvent waiting() {
        return new StreamEvent.Comment("waiting");
    }

    /**
     * Returns whether the heartbeat has a position among the other events, so that it must not be
     * repeated.
     */
    default boolean waitsInOrder() {
        return false;
    }

    /** Returns the whole response, from the events of all choices in their order. */
    ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage);
}
