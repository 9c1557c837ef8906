package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.setting.SettingNames;

import java.util.List;
import java.util.function.Supplier;

/**
 * Format of heartbeats and errors in a stream, before the format of its response is known. Not
 * thread-safe.
 */
public interface HeartbeatFormat {
    /** Format of OpenAI's streams, whose events have no names. */
    HeartbeatFormat OPENAI =
            (error, names) ->
                    List.of(new StreamEvent.Data(ErrorForm.OPENAI.body(error, names, "")));

    /** Makes a format for each request. */
    @FunctionalInterface
    interface Maker {
        /**
         * Returns a format for a request; {@code model} supplies the id of the model, never the
         * name that the client sent.
         */
        HeartbeatFormat of(Supplier<String> model);
    }

    /**
     * Returns the events of a failed request; only heartbeats were sent before.
     *
     * @param names names of settings in messages
     */
    List<StreamEvent> failure(ApiException error, SettingNames names);

    /** Returns how the stream is written. */
    default StreamKind stream() {
        return StreamKind.SSE;
    }

    /** Returns whether a request streams by default. */
    default boolean isUsual() {
        return false;
    }

    /**
     * Returns the heartbeat events for a waiting client; the response's own events {@linkplain
     * ResponseSerializer#follow follow}.
     */
    default List<StreamEvent> waiting() {
        return List.of(new StreamEvent.Comment("waiting"));
    }
}
