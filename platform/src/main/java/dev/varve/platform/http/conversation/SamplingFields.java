package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.sampling.SamplingOptions;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** The fields that say how tokens are chosen. OpenAI's defaults: temperature 1, top_p 1. */
public final class SamplingFields {
    private static final double MAX_TEMPERATURE = 2;
    private static final double MAX_PENALTY = 2;
    private static final double MAX_BIAS = 100;

    private SamplingFields() {}

    /**
     * Reads them; {@code choice} is mixed into the seed, so that several choices of a request
     * differ.
     */
    static SamplingOptions read(Fields fields, int vocabulary, int choice) {
        double topP = fields.number("top_p", 0, 1).orElse(1);
        if (topP == 0) {
            throw ApiException.invalid("top_p", "top_p: expected above 0, up to 1, found 0");
        }
        double repetition =
                repetition(fields, "repetition_penalty", repetition(fields, "repeat_penalty", 1));
        OptionalLong seed = fields.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE);
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

    private static double repetition(Fields fields, String name, double usual) {
        double penalty = fields.number(name, 0, MAX_BIAS).orElse(usual);
        if (penalty == 0) {
            throw ApiException.invalid(name, name + ": expected above 0, found 0");
        }
        return penalty;
    }

    private static Map<Integer, Float> bias(Fields fields, int vocabulary) {
        Map<Integer, Float> bias = new HashMap<>();
        fields.object("logit_bias")
                .ifPresent(
                        object -> {
                            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                                int id =
                                        entry.getKey().matches("\\d{1,9}")
                                                ? Integer.parseInt(entry.getKey())
                                                : -1;
                                if (id < 0 || id >= vocabulary) {
                                    throw ApiException.invalid(
                                            "logit_bias",
                                            "logit_bias: expected token ids from 0 to "
                                                    + (vocabulary - 1)
                                                    + " as keys");
                                }
                                double value = entry.getValue().doubleValue(Double.NaN);
                                if (!(Math.abs(value) <= MAX_BIAS)) {
                                    throw ApiException.invalid(
                                            "logit_bias",
                                            "logit_bias: expected numbers from -100 to 100");
                                }
                                bias.put(id, (float) value);
                            }
                        });
        return bias;
    }
}
