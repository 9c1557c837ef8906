package dev.varve.platform.sampling;

import java.util.Map;
import java.util.OptionalLong;

/**
 * How the next token is chosen. Applied in this order: logit bias, repetition penalty, frequency
 * and presence penalties, temperature, top-k, top-p, min-p, draw.
 *
 * @param temperature 0: the most likely token, the lowest id on ties
 * @param topK number of candidates kept; 0: all
 * @param topP smallest set of candidates whose probability reaches this; 1: all
 * @param minP candidates below this share of the best one's probability are dropped; 0: none
 * @param repetitionPenalty divides positive and multiplies negative logits of tokens in the
 *     history; 1: off
 * @param presencePenalty subtracted once from tokens in the generated text
 * @param frequencyPenalty subtracted per occurrence in the generated text
 * @param seed start of the random generator; empty: a random one
 * @param logitBias added to the logits of these tokens
 */
public record SamplingOptions(
        float temperature,
        int topK,
        float topP,
        float minP,
        float repetitionPenalty,
        float presencePenalty,
        float frequencyPenalty,
        OptionalLong seed,
        Map<Integer, Float> logitBias) {
    public SamplingOptions {
        require(
                temperature >= 0 && temperature <= 100,
                "temperature",
                temperature,
                "a number from 0 to 100");
        require(topK >= 0, "top_k", topK, "0 or more");
        require(topP > 0 && topP <= 1, "top_p", topP, "above 0, up to 1");
        require(minP >= 0 && minP <= 1, "min_p", minP, "from 0 to 1");
        require(
                repetitionPenalty > 0 && repetitionPenalty <= 100,
                "repetition_penalty",
                repetitionPenalty,
                "above 0, up to 100");
        require(
                presencePenalty >= -100 && presencePenalty <= 100,
                "presence_penalty",
                presencePenalty,
                "from -100 to 100");
        require(
                frequencyPenalty >= -100 && frequencyPenalty <= 100,
                "frequency_penalty",
                frequencyPenalty,
                "from -100 to 100");
        logitBias = Map.copyOf(logitBias);
    }

    /** Takes the most likely token each time. */
    public static SamplingOptions greedy() {
        return new SamplingOptions(0, 0, 1, 0, 1, 0, 0, OptionalLong.empty(), Map.of());
    }

    /**
     * Whether the choice is the plain argmax of the model's logits, so that no logits need to be
     * read.
     */
    public boolean isPlainArgmax() {
        return temperature == 0
                && repetitionPenalty == 1
                && presencePenalty == 0
                && frequencyPenalty == 0
                && logitBias.isEmpty();
    }

    private static void require(boolean valid, String name, Number found, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(
                    name + ": expected " + expected + ", found " + found);
        }
    }
}
