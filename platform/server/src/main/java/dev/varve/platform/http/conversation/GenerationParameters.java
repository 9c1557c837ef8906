package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.http.answer.ResponseMode;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.OutputLimitPolicy;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The fields that chat and text completions share, checked.
 *
 * @param head first fields of each object of the response
 * @param delivery whether to stream
 * @param end when a response ends
 * @param topLogprobs alternatives per token; empty for no log probabilities
 * @param sampling sampling options of each choice of a prompt; they keep no reference to the body,
 *     which may be large
 * @param mostDrafts maximum number of draft tokens per step
 * @param lora scales of the model's adapters
 */
public record GenerationParameters(
        ResponseIdentity head,
        ResponseMode delivery,
        End end,
        OptionalInt topLogprobs,
        List<SamplingOptions> sampling,
        int mostDrafts,
        LoraScales lora) {
    private static final String LORA = "lora";
    private static final int MAX_CHOICES = 8;
    private static final int UNLIMITED = -1;

    /** Names of the output limit; the first one that is present counts. */
    private static final List<String> LIMITS =
            List.of("max_completion_tokens", "max_tokens", "max_output_tokens", "n_predict");

    private static final String STOP_TOKENS = "stop_token_ids";
    private static final int MAX_STOP_TOKENS = 64;
    private static final int MAX_STOPS = 16;
    private static final int MAX_STOP_CHARACTERS = 500;

    /**
     * First fields of each object of a response.
     *
     * @param id id of the response
     * @param model id of the model that generates
     */
    public record ResponseIdentity(String id, String model) {
        /** Makes the head of a new response. */
        public static ResponseIdentity of(String idPrefix, String model) {
            return new ResponseIdentity(
                    idPrefix + UUID.randomUUID().toString().replace("-", ""), model);
        }
    }

    /**
     * When a response ends.
     *
     * @param stops stop strings
     * @param maxTokens maximum number of tokens; empty for the default
     * @param unlimited whether the maximum is the rest of the context, whatever the default
     * @param mayReduceOutput whether the maximum is lowered if the context has room for fewer
     * @param tokens tokens that end it
     */
    public record End(
            List<String> stops,
            OptionalLong maxTokens,
            boolean unlimited,
            boolean mayReduceOutput,
            Set<Integer> tokens) {}

    /**
     * Reads the fields.
     *
     * @param idPrefix prefix of the response's id
     */
    public static GenerationParameters read(
            String idPrefix, RequestFields fields, ServedModel served, OptionalInt topLogprobs) {
        return read(idPrefix, fields, served, topLogprobs, Set.of());
    }

    /**
     * Reads the fields of a request whose prompt adds tokens that end the response.
     *
     * @param idPrefix prefix of the response's id
     * @param promptEnds those tokens; {@code min_tokens} and {@code ignore_eos} apply to them as to
     *     the model's
     */
    public static GenerationParameters read(
            String idPrefix,
            RequestFields fields,
            ServedModel served,
            OptionalInt topLogprobs,
            Set<Integer> promptEnds) {
        boolean usage =
                fields.nested("stream_options")
                        .flatMap(options -> options.flag("include_usage"))
                        .orElse(false);
        // Checked only; the model was resolved before.
        fields.text("model");
        OptionalLong most = readMaxTokens(fields);
        int choices = (int) fields.whole("n", 1, MAX_CHOICES).orElse(1);
        Tokenizer tokenizer = served.textProcessing().tokenizer();
        Set<Integer> endTokens = readEndTokens(fields, tokenizer, promptEnds);
        return new GenerationParameters(
                ResponseIdentity.of(idPrefix, served.description().id()),
                readDelivery(fields, usage),
                new End(
                        readStops(fields),
                        most.orElse(UNLIMITED) == UNLIMITED ? OptionalLong.empty() : most,
                        most.isPresent() && most.getAsLong() == UNLIMITED,
                        served.outputLimit() == OutputLimitPolicy.UPPER_BOUND,
                        endTokens),
                topLogprobs,
                SamplingFields.read(
                        fields,
                        new SamplingFields.Model(
                                tokenizer.vocabularySize(),
                                served.textProcessing().breakers()::find,
                                served.sampling().effective(),
                                endTokens),
                        choices),
                DraftFields.read(fields),
                fields.find(LORA)
                        .map(array -> served.description().adapters().read(LORA, array))
                        .orElseGet(served.description().adapters()::usual));
    }

    private static OptionalLong readMaxTokens(RequestFields fields) {
        OptionalLong most = OptionalLong.empty();
        for (String name : LIMITS) {
            OptionalLong given = fields.whole(name, UNLIMITED, Long.MAX_VALUE);
            if (given.isPresent() && given.getAsLong() == 0) {
                throw ApiException.invalid(
                        name, name + ": expected 1 or more, or -1 for no limit, found 0");
            }
            most = most.isPresent() ? most : given;
        }
        return most;
    }

    /**
     * Reads the tokens that end a response: those of the model and the prompt, unless ignored, and
     * the request's.
     */
    private static Set<Integer> readEndTokens(
            RequestFields fields, Tokenizer tokenizer, Set<Integer> promptEnds) {
        Set<Integer> tokens = new TreeSet<>();
        if (!fields.flag("ignore_eos").orElse(false)) {
            tokens.addAll(tokenizer.endTokens());
            tokens.addAll(promptEnds);
        }
        fields.find(STOP_TOKENS)
                .ifPresent(
                        array -> {
                            if (!array.isArray() || array.size() > MAX_STOP_TOKENS) {
                                throw RequestFields.wrongType(
                                        STOP_TOKENS,
                                        "an array of at most " + MAX_STOP_TOKENS + " token ids",
                                        array);
                            }
                            for (int token :
                                    RequestFields.tokenIds(
                                            STOP_TOKENS, array, tokenizer.vocabularySize())) {
                                tokens.add(token);
                            }
                        });
        return Set.copyOf(tokens);
    }

    private static ResponseMode readDelivery(RequestFields fields, boolean withUsage) {
        if (!fields.flag("stream").orElse(false)) {
            return ResponseMode.WHOLE;
        }
        return withUsage ? ResponseMode.STREAM_WITH_USAGE : ResponseMode.STREAM;
    }

    /** Reads the stop strings: {@code stop} in OpenAI's API, {@code stop_sequences} in others. */
    private static List<String> readStops(RequestFields fields) {
        List<String> stops = new ArrayList<>(fields.texts("stop", MAX_STOPS, MAX_STOP_CHARACTERS));
        stops.addAll(fields.texts("stop_sequences", MAX_STOPS - stops.size(), MAX_STOP_CHARACTERS));
        return List.copyOf(stops);
    }

    /**
     * Returns a copy whose output limit is an upper bound: it is lowered to the room in the
     * context.
     */
    public GenerationParameters reducingOutput() {
        End reducing = new End(end.stops, end.maxTokens, end.unlimited, true, end.tokens);
        return new GenerationParameters(
                head, delivery, reducing, topLogprobs, sampling, mostDrafts, lora);
    }

    /**
     * Returns the number of output tokens for which the context must have room.
     *
     * @param usual number for a request without a limit
     */
    public long minOutput(long usual) {
        return end.maxTokens().isPresent() && end.mayReduceOutput()
                ? 1
                : end.maxTokens().orElse(usual);
    }

    /** Returns the number of choices per prompt. */
    public int choices() {
        return sampling.size();
    }

    /**
     * Returns the maximum number of tokens of a response; at most {@code defaultTokens} if the
     * request has no limit.
     */
    public int maxOutput(ChatPrompt prompt, int defaultTokens, ServedModel served) {
        int context = served.engine().status().load().contextTokens();
        int room = Math.max(1, context - prompt.tokens().length);
        long usual = end.unlimited() ? room : Math.min(defaultTokens, room);
        long most = end.maxTokens().orElse(usual);
        return (int) Math.min(end.mayReduceOutput() ? room : Integer.MAX_VALUE, most);
    }

    /** Returns the engine's request for one choice of a prompt. */
    public GenerationRequest request(
            ChatPrompt prompt,
            int choice,
            int maxOutput,
            TokenConstraint constraint,
            ServedModel served) {
        if (prompt.tokens().length == 0) {
            throw ApiException.invalid(
                    "prompt", "prompt: expected at least one token, found an empty text");
        }
        return new GenerationRequest(
                new GenerationRequest.Prompt(
                        prompt.tokens(),
                        prompt.boundaries(),
                        CacheScope.common().with(lora),
                        prompt.images()),
                new GenerationRequest.Ending(maxOutput, end.tokens()),
                new GenerationRequest.Choice(sampling.get(choice), topLogprobs, constraint),
                mostDrafts);
    }
}
