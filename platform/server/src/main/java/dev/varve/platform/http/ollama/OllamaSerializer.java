package dev.varve.platform.http.ollama;

import dev.varve.platform.chat.CollectedCalls;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.StreamKind;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.conversation.ReasoningFinishDetails;
import dev.varve.platform.http.conversation.ToolArgumentsParser;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Serializes responses of {@code /api/chat} and {@code /api/generate}. Arguments of calls are
 * objects, so a stream has all calls in one line, after generation.
 */
final class OllamaSerializer implements ResponseSerializer {
    private static final double NANOS_PER_MILLI = 1e6;

    /** Place of the text in a response. */
    enum Shape {
        /** In a {@code message}, with reasoning and calls. */
        MESSAGE {
            @Override
            void put(ObjectNode line, String reasoning, String text, ArrayNode calls) {
                ObjectNode message = line.putObject("message").put("role", "assistant");
                message.put("content", text);
                putReasoning(message, reasoning);
                if (!calls.isEmpty()) {
                    message.set("tool_calls", calls);
                }
            }
        },
        /** In {@code response}. */
        TEXT {
            @Override
            void put(ObjectNode line, String reasoning, String text, ArrayNode calls) {
                line.put("response", text);
                putReasoning(line, reasoning);
            }
        };

        abstract void put(ObjectNode line, String reasoning, String text, ArrayNode calls);

        private static void putReasoning(ObjectNode target, String reasoning) {
            if (!reasoning.isEmpty()) {
                target.put("thinking", reasoning);
            }
        }
    }

    private final String model;
    private final Shape shape;
    private final boolean finishDetails;
    private final long begin = System.nanoTime();
    private final CollectedCalls calls = new CollectedCalls();
    private Optional<ChoiceEvent.Ended> ended = Optional.empty();

    OllamaSerializer(String model, Shape shape) {
        this(model, shape, false);
    }

    /** Makes a serializer; {@code finishDetails}: whether to report how the reasoning ended. */
    OllamaSerializer(String model, Shape shape, boolean finishDetails) {
        this.model = model;
        this.shape = shape;
        this.finishDetails = finishDetails;
    }

    @Override
    public StreamKind stream() {
        return StreamKind.NDJSON;
    }

    @Override
    public StreamEvent waiting() {
        return new StreamEvent.Data(line("", "", calls()));
    }

    @Override
    public List<StreamEvent> token(ChoiceEvent.Token token) {
        return texts(token.piece());
    }

    @Override
    public List<StreamEvent> end(ChoiceEvent.Ended event) {
        ended = Optional.of(event);
        List<StreamEvent> lines = new ArrayList<>(texts(event.piece()));
        if (!calls.calls().isEmpty()) {
            lines.add(new StreamEvent.Data(line("", "", calls())));
        }
        return lines;
    }

    private List<StreamEvent> texts(ResponseParser.Piece piece) {
        calls.add(piece.calls());
        return piece.reasoning().isEmpty() && piece.content().isEmpty()
                ? List.of()
                : List.of(
                        new StreamEvent.Data(
                                line(
                                        piece.reasoning(),
                                        piece.content(),
                                        Json.MAPPER.createArrayNode())));
    }

    @Override
    public List<StreamEvent> closing(Usage usage) {
        return List.of(
                new StreamEvent.Data(done(line("", "", Json.MAPPER.createArrayNode()), usage)));
    }

    @Override
    public List<StreamEvent> failure(ApiException error, SettingNames settings) {
        return List.of(new StreamEvent.Data(ErrorForm.OLLAMA.body(error, settings, "")));
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder text = new StringBuilder();
        for (ChoiceEvent.OutputEvent event : events) {
            reasoning.append(event.piece().reasoning());
            text.append(event.piece().content());
            calls.add(event.piece().calls());
            if (event instanceof ChoiceEvent.Ended last) {
                ended = Optional.of(last);
            }
        }
        return done(line(reasoning.toString(), text.toString(), calls()), usage);
    }

    /** Returns the response to a request that only loads the model. */
    ObjectNode loaded() {
        ObjectNode line = line("", "", Json.MAPPER.createArrayNode());
        return line.put("done", true).put("done_reason", "load");
    }

    private ArrayNode calls() {
        ArrayNode array = Json.MAPPER.createArrayNode();
        for (CollectedCalls.Call call : calls.calls()) {
            int index = array.size();
            ObjectNode function = array.addObject().putObject("function");
            function.put("index", index).put("name", call.name());
            function.set(
                    "arguments",
                    ToolArgumentsParser.read(call.arguments().toString()).orElseGet(Json::object));
        }
        return array;
    }

    private ObjectNode line(String reasoning, String text, ArrayNode calls) {
        ObjectNode line =
                Json.object().put("model", model).put("created_at", Instant.now().toString());
        shape.put(line, reasoning, text, calls);
        return line.put("done", false);
    }

    /** Adds the fields of the last line; durations are in nanoseconds. */
    private ObjectNode done(ObjectNode line, Usage usage) {
        ChoiceEvent.Ended last = ended.orElseThrow();
        GenerationEnd.Times times = last.end().times();
        Usage.Counts counts = usage.counts(1);
        line.put("done", true).put("done_reason", last.isCut() ? "length" : "stop");
        if (finishDetails) {
            ReasoningFinishDetails.put(line, last);
        }
        line.put("total_duration", System.nanoTime() - begin);
        line.put("load_duration", nanos(times.queueMillis()));
        line.put("prompt_eval_count", counts.prompt());
        line.put("prompt_eval_duration", nanos(times.prefillMillis()));
        line.put("eval_count", counts.generated());
        return line.put("eval_duration", nanos(times.decodeMillis()));
    }

    private static long nanos(double millis) {
        return Math.round(millis * NANOS_PER_MILLI);
    }
}
