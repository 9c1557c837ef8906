package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.cli.chat.ChatModel;
import dev.varve.platform.cli.chat.ChatResponse;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;

/**
 * Reads the events of a streamed chat completion, or a whole one: text, reasoning in the fields of
 * several servers, the reason of the end and the usage. For one response.
 */
final class ChatEventReader {
    private static final String DATA = "data:";
    private static final String DONE = "[DONE]";

    /** Fields with reasoning: of DeepSeek, llama.cpp, Varve and older vLLM; of others. */
    private static final List<String> REASONING = List.of("reasoning_content", "reasoning");

    private static final double NANOS = 1e9;

    private final ChatModel.ResponseListener listener;
    private final int contextTokens;
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final long begin = System.nanoTime();
    private long first = begin;
    private long last = begin;
    private String finish = "";
    private Optional<JsonNode> usage = Optional.empty();

    /** Speeds as the server measured them, in the fields of Varve or llama.cpp. */
    private Optional<JsonNode> timings = Optional.empty();

    /**
     * @param contextTokens most tokens of a conversation; 0 if it is unknown
     */
    ChatEventReader(ChatModel.ResponseListener listener, int contextTokens) {
        this.listener = listener;
        this.contextTokens = contextTokens;
    }

    /**
     * Reads a line of a stream.
     *
     * @throws VarveException if it is an error of the server, or no JSON
     */
    void line(String line) {
        if (!line.startsWith(DATA)) {
            return;
        }
        String data = line.substring(DATA.length()).strip();
        if (data.isEmpty() || data.equals(DONE)) {
            return;
        }
        read(CliJson.parseObject(data, "the server's stream"), "delta");
    }

    /**
     * Reads a whole completion.
     *
     * @throws VarveException if it is no JSON
     */
    void whole(String text) {
        read(CliJson.parseObject(text, "the server's response"), "message");
    }

    private void read(JsonNode event, String field) {
        JsonNode error = event.path("error");
        if (!error.isMissingNode() && !error.isNull()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "the server reported an error: "
                            + error.path("message").stringValueOpt().orElse(error.toString()));
        }
        JsonNode choice = event.path("choices").path(0);
        JsonNode delta = choice.path(field);
        REASONING.stream()
                .map(name -> delta.path(name).stringValue(""))
                .filter(text -> !text.isEmpty())
                .findFirst()
                .ifPresent(this::addReasoning);
        delta.path("content")
                .stringValueOpt()
                .filter(text -> !text.isEmpty())
                .ifPresent(this::addContent);
        finish = choice.path("finish_reason").stringValue(finish);
        usage = Optional.of(event.path("usage")).filter(JsonNode::isObject).or(() -> usage);
        timings = Optional.of(event.path("timings")).filter(JsonNode::isObject).or(() -> timings);
    }

    private void addReasoning(String text) {
        tick();
        reasoning.append(text);
        listener.reasoning(text);
    }

    private void addContent(String text) {
        tick();
        content.append(text);
        listener.content(text);
    }

    private void tick() {
        last = System.nanoTime();
        if (first == begin) {
            first = last;
        }
    }

    /** Returns the response so far; {@code stopped}: the user stopped it. */
    ChatResponse end(boolean stopped) {
        return new ChatResponse(
                new ChatMessage(
                        ChatMessage.Role.ASSISTANT, content.toString(), reasoning.toString()),
                stopped
                        ? ChatResponse.End.STOPPED
                        : finish.equals("length")
                                ? ChatResponse.End.LENGTH
                                : ChatResponse.End.COMPLETE,
                usage.map(this::statistics));
    }

    private ChatResponse.Statistics statistics(JsonNode counts) {
        int prompt = counts.path("prompt_tokens").asInt(0);
        int cached = counts.at("/prompt_tokens_details/cached_tokens").asInt(0);
        int generated = counts.path("completion_tokens").asInt(0);
        return new ChatResponse.Statistics(
                prompt,
                cached,
                generated,
                speed("prefill_tokens_per_second", "prompt_per_second")
                        .orElse(rate(prompt - cached, first - begin)),
                speed("decode_tokens_per_second", "predicted_per_second")
                        .orElse(rate(generated - 1, last - first)),
                contextTokens);
    }

    private Optional<Double> speed(String... names) {
        for (String name : names) {
            Optional<Double> value =
                    timings.map(each -> each.path(name))
                            .filter(JsonNode::isNumber)
                            .map(JsonNode::doubleValue);
            if (value.isPresent()) {
                return value;
            }
        }
        return Optional.empty();
    }

    private static double rate(int tokens, long nanos) {
        return tokens > 0 && nanos > 0 ? tokens * NANOS / nanos : 0;
    }
}
