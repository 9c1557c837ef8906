package dev.varve.platform.sampling;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Options for the choice of the next token. Applied in this order: logit bias, repetition penalty,
 * frequency and presence penalties, temperature, top-k, top-p, min-p, draw.
 *
 * @param temperature 0: the most likely token, the lowest id on ties
 * @param cutoffs which tokens may be drawn
 * @param penalties penalties of tokens in the history
 * @param seed start of the random generator; empty: a random one
 * @param logitBias added to the logits of these tokens
 */
public record SamplingOptions(
        float temperature,
        Cutoffs cutoffs,
        Penalties penalties,
        OptionalLong seed,
        Map<Integer, Float> logitBias) {
    private static final float MOST_TEMPERATURE = 100;

    /**
     * Checks the temperature.
     *
     * @throws IllegalArgumentException if it is not a number from 0 to 100
     */
    public SamplingOptions {
        require(
                temperature >= 0 && temperature <= MOST_TEMPERATURE,
                "temperature",
                temperature,
                "a number from 0 to 100");
        Objects.requireNonNull(cutoffs);
        Objects.requireNonNull(penalties);
        logitBias = Map.copyOf(logitBias);
    }

    /** Returns options that choose the most likely token each time. */
    public static SamplingOptions greedy() {
        return new SamplingOptions(0, Cutoffs.NONE, Penalties.NONE, OptionalLong.empty(), Map.of());
    }

    /** Returns the same options with another temperature. */
    public SamplingOptions atTemperature(float other) {
        return new SamplingOptions(other, cutoffs, penalties, seed, logitBias);
    }

    /** Returns the same options with other cut-offs. */
    public SamplingOptions within(Cutoffs other) {
        return new SamplingOptions(temperature, other, penalties, seed, logitBias);
    }

    /** Returns the same options with a seed, which makes the choices reproducible. */
    public SamplingOptions seededWith(long start) {
        return new SamplingOptions(
                temperature, cutoffs, penalties, OptionalLong.of(start), logitBias);
    }

    /** Returns the same options with biases. */
    public SamplingOptions biased(Map<Integer, Float> bias) {
        return new SamplingOptions(temperature, cutoffs, penalties, seed, bias);
    }

    /**
     * Returns whether the choice is the plain argmax of the model's logits, so that no logits need
     * to be read.
     */
    public boolean isPlainArgmax() {
        return temperature == 0 && penalties.areOff() && logitBias.isEmpty();
    }

    /**
     * Returns whether a token is drawn from the best {@code count} of the model's logits, at most,
     * so that no other logits are needed.
     */
    boolean drawsAmongTop(int count) {
        return temperature >= Sampler.LEAST_TEMPERATURE
                && cutoffs.topK() > 0
                && cutoffs.topK() <= count
                && penalties.areOff()
                && logitBias.isEmpty();
    }

    private static void require(boolean valid, String name, Number found, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(
                    name + ": expected " + expected + ", found " + found);
        }
    }

    /**
     * Limits on the tokens that may be drawn.
     *
     * @param topK number of candidates kept; 0: all
     * @param topP smallest set of candidates whose probability reaches this; 1: all
     * @param minP candidates below this share of the best one's probability are dropped; 0: none
     */
    public record Cutoffs(int topK, float topP, float minP) {
        /** Every token may be drawn. */
        public static final Cutoffs NONE = new Cutoffs(0, 1, 0);

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException that names the one that is out of range
         */
        public Cutoffs {
            require(topK >= 0, "top_k", topK, "0 or more");
            require(topP > 0 && topP <= 1, "top_p", topP, "above 0, up to 1");
            require(minP >= 0 && minP <= 1, "min_p", minP, "from 0 to 1");
        }
    }

    /**
     * Penalties of tokens that occurred before.
     *
     * @param repetition divides positive and multiplies negative logits of tokens in the history;
     *     1: off
     * @param presence subtracted once from tokens in the generated text
     * @param frequency subtracted per occurrence in the generated text
     */
    public record Penalties(float repetition, float presence, float frequency) {
        /** No penalties. */
        public static final Penalties NONE = new Penalties(1, 0, 0);

        private static final float MOST = 100;

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException that names the one that is out of range
         */
        public Penalties {
            require(
                    repetition > 0 && repetition <= MOST,
                    "repetition_penalty",
                    repetition,
                    "above 0, up to 100");
            require(
                    presence >= -MOST && presence <= MOST,
                    "presence_penalty",
                    presence,
                    "from -100 to 100");
            require(
                    frequency >= -MOST && frequency <= MOST,
                    "frequency_penalty",
                    frequency,
                    "from -100 to 100");
        }

        /** Returns whether there are no penalties. */
        boolean areOff() {
            return repetition == 1 && presence == 0 && frequency == 0;
        }
    }
}
