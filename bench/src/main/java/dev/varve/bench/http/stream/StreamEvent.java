package dev.varve.bench.http.stream;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;
import java.util.Optional;

/** Content of one line of a stream of server-sent events. */
sealed interface StreamEvent {
    /** Fields of a delta that hold text of the model; reasoning consists of tokens as well. */
    List<String> TEXTS = List.of("content", "reasoning_content", "reasoning");

    /** The end of the stream. */
    record Done() implements StreamEvent {}

    /**
     * A part of the answer.
     *
     * @param text whether it holds text of the model
     * @param content that text without reasoning
     */
    record Chunk(boolean text, String content, Optional<Usage> usage) implements StreamEvent {}

    /** The server reported an error, or wrote something other than a stream of an answer. */
    record Failure(String reason) implements StreamEvent {}

    /** A comment, an empty line, or a field without information about the answer. */
    record Nothing() implements StreamEvent {}

    /** Reads one line, without its end. */
    static StreamEvent parse(String line) {
        int colon = line.indexOf(':');
        String value = line.substring(colon + 1).strip();
        return switch (colon < 0 ? "" : line.substring(0, colon)) {
            case "data" -> value.equals("[DONE]") ? new Done() : chunk(value);
            // Some servers have a field of their own for it.
            case "error" -> new Failure("error in the stream: " + Excerpt.of(value));
            default -> new Nothing();
        };
    }

    private static StreamEvent chunk(String data) {
        JsonNode json;
        try {
            json = JsonMapper.shared().readTree(data);
        } catch (JacksonException _) {
            return new Failure("no JSON in the stream: " + Excerpt.of(data));
        }
        if (json.hasNonNull("error")) {
            return new Failure("error in the stream: " + Excerpt.of(data));
        }
        JsonNode delta = json.path("choices").path(0).path("delta");
        boolean text =
                TEXTS.stream()
                        .anyMatch(
                                field ->
                                        delta.path(field)
                                                .stringValueOpt()
                                                .filter(value -> !value.isEmpty())
                                                .isPresent());
        return new Chunk(text, delta.path("content").asString(""), usage(json.path("usage")));
    }

    private static Optional<Usage> usage(JsonNode json) {
        JsonNode prompt = json.path("prompt_tokens");
        JsonNode completion = json.path("completion_tokens");
        int cached = json.path("prompt_tokens_details").path("cached_tokens").asInt(0);
        return prompt.canConvertToInt() && completion.canConvertToInt()
                ? Optional.of(new Usage(prompt.intValue(), completion.intValue(), cached))
                : Optional.empty();
    }
}
