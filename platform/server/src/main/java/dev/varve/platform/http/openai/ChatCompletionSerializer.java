package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.ResponseMode;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.conversation.CompressionUsage;
import dev.varve.platform.http.conversation.CustomToolInput;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.conversation.ReasoningFinishDetails;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.Release;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Serializes responses of {@code /v1/chat/completions}. */
final class ChatCompletionSerializer implements ResponseSerializer {
    private static final String FINGERPRINT = "varve-" + Release.version();

    private final GenerationParameters parameters;
    private final Set<String> custom;
    private final Logprobs logprobs;

    /** Texts of custom tool calls, by choice and call number. */
    private final Map<Integer, Map<Integer, CustomToolInput>> inputs = new HashMap<>();

    /** Whether the response reports how its reasoning ended. */
    private final boolean finishDetails;

    private final long created = System.currentTimeMillis() / 1000;

    private final Optional<CompressionReport> compression;

    /** Makes a serializer; {@code custom} has the names of the free-text tools. */
    ChatCompletionSerializer(
            GenerationParameters parameters,
            Set<String> custom,
            Logprobs logprobs,
            boolean finishDetails,
            Optional<CompressionReport> compression) {
        this.compression = compression;
        this.parameters = parameters;
        this.custom = Set.copyOf(custom);
        this.logprobs = logprobs;
        this.finishDetails = finishDetails;
    }

    @Override
    public Optional<String> id() {
        return Optional.of(parameters.head().id());
    }

    @Override
    public List<StreamEvent> opening() {
        List<ObjectNode> chunks = new ArrayList<>();
        for (int index = 0; index < parameters.choices(); index++) {
            ObjectNode chunk = chunk(index);
            delta(chunk).put("role", "assistant").put("content", "");
            chunks.add(chunk);
        }
        return StreamEvent.Data.all(chunks);
    }

    @Override
    public List<StreamEvent> token(ChoiceEvent.Token token) {
        List<ObjectNode> chunks = chunks(token.index(), token.piece());
        if (token.token().logprobs().isPresent()) {
            if (chunks.isEmpty()) {
                chunks.add(chunk(token.index()));
            }
            choice(chunks.getFirst())
                    .putObject("logprobs")
                    .putArray("content")
                    .add(logprobs.chatEntry(token.token()));
        }
        return StreamEvent.Data.all(chunks);
    }

    @Override
    public List<StreamEvent> end(ChoiceEvent.Ended ended) {
        List<ObjectNode> chunks = chunks(ended.index(), ended.piece());
        chunks.addAll(inputs(ended.index()));
        ObjectNode last = chunk(ended.index());
        putFinish(choice(last), ended);
        chunks.add(last);
        return StreamEvent.Data.all(chunks);
    }

    @Override
    public List<StreamEvent> closing(Usage usage) {
        if (parameters.delivery() != ResponseMode.STREAM_WITH_USAGE) {
            return List.of(DONE);
        }
        ObjectNode chunk = head("chat.completion.chunk");
        chunk.putArray("choices");
        putUsage(chunk, usage);
        return List.of(new StreamEvent.Data(chunk), DONE);
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage) {
        ObjectNode answer = head("chat.completion");
        ArrayNode choices = answer.putArray("choices");
        for (int index = 0; index < parameters.choices(); index++) {
            choices.add(choice(index, events));
        }
        putUsage(answer, usage);
        return answer;
    }

    private void putUsage(ObjectNode answer, Usage usage) {
        ObjectNode counts = usage.usage(parameters.choices());
        ObjectNode timings = usage.timings();
        compression.ifPresent(report -> CompressionUsage.put(report, counts, timings));
        answer.set("usage", counts);
        answer.set("timings", timings);
    }

    private ObjectNode choice(int index, List<ChoiceEvent.OutputEvent> events) {
        MessageCollector message = new MessageCollector(custom);
        ArrayNode entries = Json.MAPPER.createArrayNode();
        ObjectNode choice = Json.object();
        choice.put("index", index);
        for (ChoiceEvent.OutputEvent event : events) {
            if (event.index() == index && event instanceof ChoiceEvent.Token token) {
                message.add(token.piece());
                token.token()
                        .logprobs()
                        .ifPresent(values -> entries.add(logprobs.chatEntry(token.token())));
            } else if (event.index() == index && event instanceof ChoiceEvent.Ended ended) {
                message.add(ended.piece());
                choice.set("message", message.json());
                if (parameters.topLogprobs().isPresent()) {
                    choice.putObject("logprobs").set("content", entries);
                } else {
                    choice.putNull("logprobs");
                }
                putFinish(choice, ended);
            }
        }
        return choice;
    }

    private void putFinish(ObjectNode choice, ChoiceEvent.Ended ended) {
        choice.put("finish_reason", ended.finishReason());
        if (finishDetails) {
            ReasoningFinishDetails.put(choice, ended);
        }
    }

    /** Returns one chunk for the text of a piece, and one for each part of a call. */
    private List<ObjectNode> chunks(int index, ResponseParser.Piece piece) {
        List<ObjectNode> chunks = new ArrayList<>();
        if (!piece.reasoning().isEmpty() || !piece.content().isEmpty()) {
            ObjectNode chunk = chunk(index);
            putText(delta(chunk), piece.reasoning(), piece.content());
            chunks.add(chunk);
        }
        for (ToolCallDelta part : piece.calls()) {
            part.name()
                    .ifPresent(
                            name -> {
                                ObjectNode chunk = chunk(index);
                                begin(index, part.index(), name, call(chunk, part.index()));
                                chunks.add(chunk);
                            });
            Optional<CustomToolInput> input =
                    Optional.ofNullable(inputs.getOrDefault(index, Map.of()).get(part.index()));
            input.map(text -> text.push(part.arguments()))
                    .filter(text -> !text.isEmpty())
                    .ifPresent(text -> chunks.add(input(index, part.index(), text)));
            if (input.isEmpty() && !part.arguments().isEmpty()) {
                ObjectNode chunk = chunk(index);
                call(chunk, part.index()).putObject("function").put("arguments", part.arguments());
                chunks.add(chunk);
            }
        }
        return chunks;
    }

    private void begin(int index, int number, String name, ObjectNode begin) {
        if (custom.contains(name)) {
            inputs.computeIfAbsent(index, choice -> new TreeMap<>())
                    .put(number, new CustomToolInput());
        }
        MessageCollector.putCall(name, "", begin, custom);
    }

    /** Returns a chunk with a part of the text of a custom tool call. */
    private ObjectNode input(int index, int number, String text) {
        ObjectNode chunk = chunk(index);
        call(chunk, number).putObject("custom").put("input", text);
        return chunk;
    }

    /** Returns a chunk with the rest of the text of each custom tool call of a choice. */
    private List<ObjectNode> inputs(int index) {
        List<ObjectNode> chunks = new ArrayList<>();
        inputs.getOrDefault(index, Map.of())
                .forEach(
                        (number, text) -> {
                            String rest = text.finish();
                            if (!rest.isEmpty()) {
                                chunks.add(input(index, number, rest));
                            }
                        });
        return chunks;
    }

    private static ObjectNode call(ObjectNode chunk, int number) {
        return delta(chunk).putArray("tool_calls").addObject().put("index", number);
    }

    private static void putText(ObjectNode delta, String reasoning, String content) {
        if (!reasoning.isEmpty()) {
            // The first name is DeepSeek's and llama.cpp's, the second that of newer vLLM.
            delta.put("reasoning_content", reasoning).put("reasoning", reasoning);
        }
        if (!content.isEmpty()) {
            delta.put("content", content);
        }
    }

    private ObjectNode chunk(int index) {
        ObjectNode chunk = head("chat.completion.chunk");
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index);
        choice.putObject("delta");
        choice.putNull("finish_reason");
        return chunk;
    }

    private static ObjectNode choice(ObjectNode chunk) {
        return (ObjectNode) chunk.get("choices").get(0);
    }

    private static ObjectNode delta(ObjectNode chunk) {
        return (ObjectNode) choice(chunk).get("delta");
    }

    private ObjectNode head(String type) {
        ObjectNode head = Json.object();
        head.put("id", parameters.head().id());
        head.put("object", type);
        head.put("system_fingerprint", FINGERPRINT);
        head.put("created", created);
        head.put("model", parameters.head().model());
        return head;
    }
}
