package dev.varve.platform.http;

import dev.varve.platform.engine.GenerationRequest;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/**
 * The fields that chat and text completions share, checked.
 *
 * @param id id of the answer
 * @param model name to echo
 * @param stream whether to stream
 * @param streamUsage whether the stream ends with the usage
 * @param choices number of answers per prompt
 * @param stops stop strings
 * @param topLogprobs alternatives per token, -1 for no log probabilities
 * @param maxTokens most tokens per answer; empty: what the context leaves
 * @param ignoreEnd whether the model's end tokens count as text
 * @param fields the body
 */
record GenerationCall(
        String id,
        String model,
        boolean stream,
        boolean streamUsage,
        int choices,
        List<String> stops,
        int topLogprobs,
        OptionalLong maxTokens,
        boolean ignoreEnd,
        Fields fields) {
    private static final int MAX_CHOICES = 8;
    private static final int MAX_STOPS = 16;

    static GenerationCall read(
            String idPrefix, Fields fields, ServedModel served, int topLogprobs) {
        boolean usage =
                fields.object("stream_options")
                        .map(options -> new Fields(options).flag("include_usage", false))
                        .orElse(false);
        OptionalLong most = OptionalLong.empty();
        for (String name : List.of("max_tokens", "max_output_tokens", "max_completion_tokens")) {
            OptionalLong given = fields.whole(name, 1, Integer.MAX_VALUE);
            most = most.isPresent() ? most : given;
        }
        return new GenerationCall(
                idPrefix + UUID.randomUUID().toString().replace("-", ""),
                fields.text("model").orElse(served.id()),
                fields.flag("stream", false),
                usage,
                (int) fields.whole("n", 1, MAX_CHOICES).orElse(1),
                fields.texts("stop", MAX_STOPS),
                topLogprobs,
                most,
                fields.flag("ignore_eos", false),
                fields);
    }

    /** The engine's request for one choice of a prompt. */
    GenerationRequest request(
            int[] prompt, int stablePrefix, int choice, long defaultTokens, ServedModel served) {
        if (prompt.length == 0) {
            throw ApiException.invalid(
                    "prompt", "prompt: expected at least one token, found an empty text");
        }
        int context = served.engine().status().contextTokens();
        long room = Math.max(1, context - prompt.length);
        long most = maxTokens.orElse(defaultTokens > 0 ? Math.min(defaultTokens, room) : room);
        return new GenerationRequest(
                prompt,
                stablePrefix,
                (int) most,
                ignoreEnd ? Set.of() : served.tokenizer().endTokens(),
                SamplingFields.read(fields, served.tokenizer().vocabularySize(), choice),
                topLogprobs);
    }
}
