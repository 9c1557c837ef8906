package dev.varve.platform.http.anthropic;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.conversation.CompressionUsage;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.conversation.PromptFacts;
import dev.varve.platform.http.conversation.ReasoningFinishDetails;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Serializes responses of {@code /v1/messages}. */
final class MessagesSerializer implements ResponseSerializer {
    private static final String PING = "ping";

    private final GenerationParameters.ResponseIdentity head;
    private final PromptFacts prompt;
    private final boolean finishDetails;
    private final ContentBlockEvents blocks = new ContentBlockEvents();
    private Optional<ChoiceEvent.Ended> ended = Optional.empty();

    /** Makes a serializer; {@code finishDetails}: whether to report how the reasoning ended. */
    MessagesSerializer(
            GenerationParameters.ResponseIdentity head, PromptFacts prompt, boolean finishDetails) {
        this.finishDetails = finishDetails;
        this.head = head;
        this.prompt = prompt;
    }

    @Override
    public Optional<String> id() {
        return Optional.of(head.id());
    }

    @Override
    public List<StreamEvent> opening() {
        ObjectNode message = message();
        message.putArray("content");
        message.putNull("stop_reason").putNull("stop_sequence");
        // The number of cached tokens is not known yet; the last events report it.
        message.set("usage", usage(promptTokens(), 0, 0));
        ObjectNode start = Json.object().put("type", "message_start");
        start.set("message", message);
        return List.of(named(start), waiting());
    }

    @Override
    public List<StreamEvent> token(ChoiceEvent.Token token) {
        return blocks.add(token.piece());
    }

    @Override
    public List<StreamEvent> end(ChoiceEvent.Ended choice) {
        ended = Optional.of(choice);
        List<StreamEvent> events = new ArrayList<>(blocks.add(choice.piece()));
        events.addAll(blocks.finish());
        return events;
    }

    @Override
    public List<StreamEvent> closing(Usage usage) {
        ObjectNode delta = Json.object().put("type", "message_delta");
        putStop(delta.putObject("delta"));
        delta.set("usage", usage(usage));
        return List.of(named(delta), named(Json.object().put("type", "message_stop")));
    }

    @Override
    public List<StreamEvent> failure(ApiException error, SettingNames names) {
        return MessagesHeartbeat.INSTANCE.failure(error, names);
    }

    @Override
    public StreamEvent waiting() {
        return ping();
    }

    static StreamEvent ping() {
        return named(Json.object().put("type", PING));
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage) {
        ContentBlockCollector collected = new ContentBlockCollector();
        for (ChoiceEvent.OutputEvent event : events) {
            switch (event) {
                case ChoiceEvent.Token token -> collected.add(token(token));
                case ChoiceEvent.Ended choice -> collected.add(end(choice));
            }
        }
        ObjectNode message = message();
        message.set("content", collected.blocks());
        putStop(message);
        message.set("usage", usage(usage));
        return message;
    }

    private ObjectNode message() {
        return Json.object()
                .put("id", head.id())
                .put("type", "message")
                .put("role", "assistant")
                .put("model", head.model());
    }

    private void putStop(ObjectNode target) {
        ChoiceEvent.Ended choice = ended.orElseThrow();
        Optional<String> stop = choice.summary().stop();
        String reason;
        if (choice.isCut()) {
            reason = "max_tokens";
        } else if (choice.summary().calls() > 0) {
            reason = "tool_use";
        } else {
            reason = stop.isPresent() ? "stop_sequence" : "end_turn";
        }
        target.put("stop_reason", reason);
        target.put(
                "stop_sequence", stop.filter(each -> reason.equals("stop_sequence")).orElse(null));
        if (finishDetails) {
            ReasoningFinishDetails.put(target, choice);
        }
    }

    private ObjectNode usage(Usage usage) {
        Usage.Counts counts = usage.counts(1);
        int fresh = promptTokens() - counts.cached();
        ObjectNode shown = usage(Math.max(0, fresh), counts.cached(), counts.generated());
        shown.putObject("output_tokens_details").put("thinking_tokens", counts.reasoning());
        ObjectNode timings = usage.timings();
        prompt.compression()
                .ifPresent(
                        report -> {
                            shown.put("effective_input_tokens", report.effectiveTokens());
                            CompressionUsage.putReport(report, shown);
                            CompressionUsage.putTimes(report.times(), timings);
                        });
        shown.set("timings", timings);
        return shown;
    }

    /** Returns the tokens of the prompt as the client sent it, before compression. */
    private int promptTokens() {
        return prompt.compression().map(CompressionReport::promptTokens).orElse(prompt.tokens());
    }

    private static ObjectNode usage(int input, int cached, int output) {
        return Json.object()
                .put("input_tokens", input)
                .put("cache_creation_input_tokens", 0)
                .put("cache_read_input_tokens", cached)
                .put("output_tokens", output);
    }

    static StreamEvent named(ObjectNode data) {
        return new StreamEvent.Named(data.get("type").stringValue(), data);
    }
}
