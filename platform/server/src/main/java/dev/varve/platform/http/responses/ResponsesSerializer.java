package dev.varve.platform.http.responses;

import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.conversation.ReasoningFinishDetails;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.openai.Logprobs;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;

/**
 * Serializes responses of {@code /v1/responses}. A whole response is built from the same parts as a
 * stream.
 */
final class ResponsesSerializer implements ResponseSerializer {
    private final ResponsesEventQueue events = new ResponsesEventQueue();
    private final OutputItems items;
    private final Logprobs logprobs;
    private final boolean finishDetails;
    private ResponseObject response;
    private Optional<ChoiceEvent.Ended> ended = Optional.empty();

    /** Makes a serializer; {@code finishDetails}: whether to report how the reasoning ended. */
    ResponsesSerializer(
            ResponseObject response, ToolNames names, Logprobs logprobs, boolean finishDetails) {
        this.finishDetails = finishDetails;
        this.response = response;
        this.logprobs = logprobs;
        items = new OutputItems(events, names);
    }

    @Override
    public Optional<String> id() {
        return Optional.of(response.id());
    }

    @Override
    public void follow(HeartbeatFormat early) {
        if (early instanceof ResponsesHeartbeat begun) {
            response = begun.of(response);
            events.follow(begun.events());
        }
    }

    @Override
    public List<StreamEvent> opening() {
        if (!events.haveBegun()) {
            events.add("response.created", response.inProgress());
        }
        events.add("response.in_progress", response.inProgress());
        return events.take();
    }

    @Override
    public List<StreamEvent> token(ChoiceEvent.Token token) {
        boolean mark = token.piece().isEmpty() && logprobs.isSpecial(token.token());
        if (token.token().logprobs().isPresent() && !mark) {
            items.addLogprobs(logprobs.chatEntry(token.token()));
        }
        items.add(token.piece());
        return events.take();
    }

    @Override
    public List<StreamEvent> end(ChoiceEvent.Ended choice) {
        ended = Optional.of(choice);
        items.add(choice.piece());
        items.end(choice.isCut());
        return events.take();
    }

    @Override
    public List<StreamEvent> closing(Usage usage) {
        boolean cut = ended.orElseThrow().isCut();
        events.add(cut ? "response.incomplete" : "response.completed", ended(usage));
        return events.take();
    }

    @Override
    public List<StreamEvent> failure(ApiException error, SettingNames names) {
        events.add("response.failed", response.failed(items.ended(), error, names));
        return events.take();
    }

    /** A known event: some clients accept no other as a heartbeat. */
    @Override
    public StreamEvent waiting() {
        events.add("response.in_progress", response.inProgress());
        return events.take().getFirst();
    }

    @Override
    public boolean waitsInOrder() {
        return true;
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent.OutputEvent> all, Usage usage) {
        for (ChoiceEvent.OutputEvent event : all) {
            switch (event) {
                case ChoiceEvent.Token token -> token(token);
                case ChoiceEvent.Ended ended -> end(ended);
            }
        }
        return ended(usage);
    }

    private ObjectNode ended(Usage usage) {
        ChoiceEvent.Ended choice = ended.orElseThrow();
        ObjectNode object = response.ended(items.ended(), choice.isCut(), usage);
        if (finishDetails) {
            ReasoningFinishDetails.put(object, choice);
        }
        return object;
    }
}
