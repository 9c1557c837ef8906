package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.setting.SettingNames;

import java.util.List;
import java.util.function.Supplier;

/** What a stream may say as long as it is not known how its answer is written. One thread. */
public interface HeartbeatFormat {
    /** That of OpenAI's streams of objects without names. */
    HeartbeatFormat OPENAI =
            (error, names) ->
                    List.of(new StreamEvent.Data(ErrorForm.OPENAI.body(error, names, "")));

    /** Makes one for each request. */
    @FunctionalInterface
    interface Maker {
        /** {@code model}: id of the model, never what a client wrote. */
        HeartbeatFormat of(Supplier<String> model);
    }

    /**
     * The events of a request that failed; no others but signs of life were sent.
     *
     * @param names what settings are called
     */
    List<StreamEvent> failure(ApiException error, SettingNames names);

    /** How the stream is written. */
    default StreamKind stream() {
        return StreamKind.SSE;
    }

    /** Whether a request that does not say so gets a stream. */
    default boolean isUsual() {
        return false;
    }

    /**
     * Events for a client that has to wait; the answer's own {@linkplain ResponseSerializer#follow
     * follow}.
     */
    default List<StreamEvent> waiting() {
        return List.of(new StreamEvent.Comment("waiting"));
    }
}
