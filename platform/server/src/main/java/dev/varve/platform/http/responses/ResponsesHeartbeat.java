package dev.varve.platform.http.responses;

import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.setting.SettingNames;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Heartbeats of {@code /v1/responses} before the request is prepared. Clients of this route accept
 * only events as heartbeats, so the response is created early and then reported as in progress.
 */
public final class ResponsesHeartbeat implements HeartbeatFormat {
    private final ResponsesEventQueue events = new ResponsesEventQueue();
    private final Supplier<String> model;
    private Optional<ResponseObject> begun = Optional.empty();

    /** Makes a format; {@code model} supplies the model's id at the first event. */
    public ResponsesHeartbeat(Supplier<String> model) {
        this.model = model;
    }

    @Override
    public List<StreamEvent> waiting() {
        events.add("response.in_progress", begin().inProgress());
        return events.take();
    }

    @Override
    public List<StreamEvent> failure(ApiException error, SettingNames names) {
        events.add("response.failed", begin().failed(Json.MAPPER.createArrayNode(), error, names));
        return events.take();
    }

    private ResponseObject begin() {
        if (begun.isEmpty()) {
            begun = Optional.of(unknown(model.get()));
            events.add("response.created", begun.get().inProgress());
        }
        return begun.get();
    }

    private static ResponseObject unknown(String model) {
        RequestFields nothing = new RequestFields(Json.object());
        return new ResponseObject(
                GenerationParameters.ResponseIdentity.of("resp_", model),
                EchoedFields.read(nothing, ResponsesTools.read(nothing)),
                Optional.empty());
    }

    /** Returns the full response under the identity that was sent. */
    ResponseObject of(ResponseObject known) {
        return begun.map(known::as).orElse(known);
    }

    /** Returns the queue of the events so far. */
    ResponsesEventQueue events() {
        return events;
    }
}
