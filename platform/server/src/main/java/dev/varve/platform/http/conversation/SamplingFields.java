package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.sampling.SamplingOptions;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** Reads the sampling fields. Defaults as in OpenAI's API: temperature 1, top_p 1. */
public final class SamplingFields {
    private static final double MAX_TEMPERATURE = 2;
    private static final double MAX_PENALTY = 2;
    private static final double MAX_BIAS = 100;

    /** Seed by which clients of llama.cpp request a random one. */
    private static final long ANY_SEED = -1;

    private SamplingFields() {}

    /**
     * Reads the fields; {@code choice} is added to the seed, so that several choices of a request
     * differ.
     */
    static SamplingOptions read(RequestFields fields, int vocabulary, int choice) {
        // 0 keeps only the most likely token, as does the smallest positive number.
        double topP = Math.max(Float.MIN_VALUE, fields.number("top_p", 0, 1).orElse(1));
        double repetition =
                repetition(fields, "repetition_penalty", repetition(fields, "repeat_penalty", 1));
        OptionalLong seed = fields.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE);
        if (seed.orElse(0) == ANY_SEED) {
            seed = OptionalLong.empty();
        }
        return new SamplingOptions(
                (float) fields.number("temperature", 0, MAX_TEMPERATURE).orElse(1),
                new SamplingOptions.Cutoffs(
                        (int)
                                fields.whole("top_k", -1, Integer.MAX_VALUE).stream()
                                        .map(k -> Math.max(0, k))
                                        .findFirst()
                                        .orElse(0),
                        (float) topP,
                        (float) fields.number("min_p", 0, 1).orElse(0)),
                new SamplingOptions.Penalties(
                        (float) repetition,
                        (float)
                                fields.number("presence_penalty", -MAX_PENALTY, MAX_PENALTY)
                                        .orElse(0),
                        (float)
                                fields.number("frequency_penalty", -MAX_PENALTY, MAX_PENALTY)
                                        .orElse(0)),
                seed.isPresent() ? OptionalLong.of(seed.getAsLong() + choice) : seed,
                bias(fields, vocabulary));
    }

    private static double repetition(RequestFields fields, String name, double usual) {
        double penalty = fields.number(name, 0, MAX_BIAS).orElse(usual);
        if (penalty == 0) {
            throw ApiException.invalid(name, name + ": expected above 0, found 0");
        }
        return penalty;
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
