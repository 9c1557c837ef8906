package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.sampling.AdvancedSampling;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;
import dev.varve.platform.sampling.SequenceBreakers;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Reads the sampling fields; a request overrides the defaults of its model field by field. */
public final class SamplingFields {
    private static final double MAX_BIAS = 100;

    /** Seed by which clients of llama.cpp request a random one. */
    private static final long ANY_SEED = -1;

    /** vLLM's name of the field, beside llama.cpp's. */
    private static final String REPETITION_PENALTY = "repetition_penalty";

    /** Narrower ranges than an operator's, as in OpenAI's API. */
    private static final Map<SamplingParameter, Double> MOST =
            Map.of(
                    SamplingParameter.TEMPERATURE,
                    2.0,
                    SamplingParameter.PRESENCE_PENALTY,
                    2.0,
                    SamplingParameter.FREQUENCY_PENALTY,
                    2.0);

    private static final String BREAKERS = "dry_sequence_breakers";
    private static final int MAX_BREAKERS = 16;
    private static final int MAX_BREAKER_CHARACTERS = 40;

    private SamplingFields() {}

    /**
     * Model properties by which the fields of a request are read.
     *
     * @param vocabulary number of tokens
     * @param breakers finds the tokens of texts that end a repeated sequence
     * @param defaults values of the levels below, for fields that are absent
     * @param endTokens tokens that end the response
     */
    record Model(
            int vocabulary,
            Function<List<String>, SequenceBreakers> breakers,
            SamplingValues defaults,
            Set<Integer> endTokens) {}

    /**
     * Reads the fields.
     *
     * @param choices number of choices per prompt; a number is added to the seed for each of them,
     *     so that they differ
     */
    static List<SamplingOptions> read(RequestFields fields, Model model, int choices) {
        SamplingValues values = SamplingValues.NONE;
        for (SamplingParameter parameter : SamplingParameter.values()) {
            values = read(fields, parameter, parameter.wireName(), values);
        }
        values = read(fields, SamplingParameter.REPEAT_PENALTY, REPETITION_PENALTY, values);
        OptionalLong seed = fields.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE);
        SamplingValues effective =
                (seed.isPresent() ? values.withSeed(seed.getAsLong()) : values)
                        .over(model.defaults());
        SamplingValues resolved = seed.orElse(0) == ANY_SEED ? effective.withoutSeed() : effective;
        List<String> breakers =
                fields.find(BREAKERS).isPresent()
                        ? fields.texts(BREAKERS, MAX_BREAKERS, MAX_BREAKER_CHARACTERS)
                        : SequenceBreakers.USUAL;
        SamplingOptions.Context context =
                new SamplingOptions.Context(
                        resolved.get(SamplingParameter.DRY_MULTIPLIER) == 0
                                ? SequenceBreakers.NONE
                                : model.breakers().apply(breakers),
                        new AdvancedSampling.EndDelay(
                                (int) fields.whole("min_tokens", 0, Integer.MAX_VALUE).orElse(0),
                                model.endTokens()),
                        bias(fields, model.vocabulary()));
        return IntStream.range(0, choices)
                .mapToObj(choice -> SamplingOptions.of(resolved, choice, context))
                .toList();
    }

    private static SamplingValues read(
            RequestFields fields, SamplingParameter parameter, String name, SamplingValues values) {
        double most = Math.min(parameter.most(), MOST.getOrDefault(parameter, parameter.most()));
        double least = Math.max(parameter.least(), -most);
        if (parameter == SamplingParameter.TOP_K) {
            // Clients of vLLM and of llama.cpp send -1 or 0 for no limit.
            OptionalLong topK = fields.whole(name, -1, Integer.MAX_VALUE);
            return topK.isPresent()
                    ? values.with(parameter, Math.max(0, topK.getAsLong()))
                    : values;
        }
        if (parameter.isWhole()) {
            OptionalLong number = fields.whole(name, (long) least, (long) most);
            return number.isPresent() ? values.with(parameter, number.getAsLong()) : values;
        }
        OptionalDouble number = fields.number(name, least, most);
        return number.isPresent() ? values.with(parameter, name, number.getAsDouble()) : values;
    }

    /**
     * Reads the logit biases: an object as in OpenAI's API, or an array of pairs as in llama.cpp.
     */
    private static Map<Integer, Float> bias(RequestFields fields, int vocabulary) {
        Map<Integer, Float> bias = new HashMap<>();
        JsonNode given = fields.find("logit_bias").orElse(Json.object());
        if (given.isArray()) {
            for (JsonNode pair : given) {
                if (!pair.isArray() || pair.size() != 2) {
                    throw RequestFields.wrongType(
                            "logit_bias", "pairs of a token id and a number", pair);
                }
                bias.put(token(pair.get(0).asString(""), vocabulary), change(pair.get(1)));
            }
            return bias;
        }
        fields.object("logit_bias")
                .ifPresent(
                        object ->
                                object.properties()
                                        .forEach(
                                                entry ->
                                                        bias.put(
                                                                token(entry.getKey(), vocabulary),
                                                                change(entry.getValue()))));
        return bias;
    }

    private static int token(String text, int vocabulary) {
        int id = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
        if (id < 0 || id >= vocabulary) {
            throw ApiException.invalid(
                    "logit_bias",
                    "logit_bias: expected token ids from 0 to " + (vocabulary - 1) + " as keys");
        }
        return id;
    }

    private static float change(JsonNode value) {
        double change = value.doubleValue(Double.NaN);
        if (!(Math.abs(change) <= MAX_BIAS)) {
            throw ApiException.invalid(
                    "logit_bias", "logit_bias: expected numbers from -100 to 100");
        }
        return (float) change;
    }
}
