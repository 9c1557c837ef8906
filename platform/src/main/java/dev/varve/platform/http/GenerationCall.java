package dev.varve.platform.http;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenGuide;
import dev.varve.platform.sampling.SamplingOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

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
 * @param sampling how tokens are chosen, for each answer; of the body itself nothing is kept, which
 *     may be much larger than what is asked of it
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
        List<SamplingOptions> sampling) {
    private static final int MAX_CHOICES = 8;
    private static final int MAX_STOP = 4;
    private static final int MAX_STOPS = 16;
    private static final int MAX_STOP_CHARACTERS = 500;

    static GenerationCall read(
            String idPrefix, Fields fields, ServedModel served, int topLogprobs) {
        boolean usage =
                fields.nested("stream_options")
                        .map(options -> options.flag("include_usage", false))
                        .orElse(false);
        OptionalLong most = OptionalLong.empty();
        for (String name : List.of("max_tokens", "max_output_tokens", "max_completion_tokens")) {
            OptionalLong given = fields.whole(name, 1, Integer.MAX_VALUE);
            most = most.isPresent() ? most : given;
        }
        int choices = (int) fields.whole("n", 1, MAX_CHOICES).orElse(1);
        int vocabulary = served.tokenizer().vocabularySize();
        return new GenerationCall(
                idPrefix + UUID.randomUUID().toString().replace("-", ""),
                fields.text("model").orElse(served.id()),
                fields.flag("stream", false),
                usage,
                choices,
                stops(fields),
                topLogprobs,
                most,
                fields.flag("ignore_eos", false),
                IntStream.range(0, choices)
                        .mapToObj(choice -> SamplingFields.read(fields, vocabulary, choice))
                        .toList());
    }

    /** OpenAI has {@code stop}, others {@code stop_sequences}. */
    private static List<String> stops(Fields fields) {
        List<String> stops = new ArrayList<>(fields.texts("stop", MAX_STOP, MAX_STOP_CHARACTERS));
        stops.addAll(fields.texts("stop_sequences", MAX_STOPS - stops.size(), MAX_STOP_CHARACTERS));
        return List.copyOf(stops);
    }

    /** Most tokens of an answer; {@code defaultTokens} where the request says nothing. */
    int maxOutput(ChatPrompt prompt, int defaultTokens, ServedModel served) {
        int context = served.engine().status().load().contextTokens();
        int room = Math.max(1, context - prompt.tokens().length);
        return (int) maxTokens.orElse(Math.min(defaultTokens, room));
    }

    /** The engine's request for one choice of a prompt. */
    GenerationRequest request(
            ChatPrompt prompt, int choice, int maxOutput, TokenGuide guide, ServedModel served) {
        if (prompt.tokens().length == 0) {
            throw ApiException.invalid(
                    "prompt", "prompt: expected at least one token, found an empty text");
        }
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt.tokens(), prompt.stablePrefix()),
                new GenerationRequest.Ending(
                        maxOutput, ignoreEnd ? Set.of() : served.tokenizer().endTokens()),
                new GenerationRequest.Choice(
                        sampling.get(choice),
                        topLogprobs < 0 ? OptionalInt.empty() : OptionalInt.of(topLogprobs),
                        guide));
    }
}
