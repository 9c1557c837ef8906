package dev.varve.platform.sampling;

import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Options for the choice of the next token; {@link Sampler} describes their order.
 *
 * @param temperature 0: the most likely token, the lowest id on ties
 * @param cutoffs which tokens may be drawn
 * @param penalties penalties of tokens in the history
 * @param advanced DRY, XTC, mirostat, typical and top-n-sigma sampling, and the minimum length
 * @param seed start of the random generator; empty: a random one
 * @param logitBias added to the logits of these tokens
 */
public record SamplingOptions(
        float temperature,
        Cutoffs cutoffs,
        Penalties penalties,
        AdvancedSampling advanced,
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
        Objects.requireNonNull(advanced);
        logitBias = Map.copyOf(logitBias);
    }

    /** Makes options without the samplers that few requests use. */
    public SamplingOptions(
            float temperature,
            Cutoffs cutoffs,
            Penalties penalties,
            OptionalLong seed,
            Map<Integer, Float> logitBias) {
        this(temperature, cutoffs, penalties, AdvancedSampling.NONE, seed, logitBias);
    }

    /** Returns the same options with other samplers that few requests use. */
    public SamplingOptions with(AdvancedSampling other) {
        return new SamplingOptions(temperature, cutoffs, penalties, other, seed, logitBias);
    }

    /**
     * Returns whether a choice depends on all logits of a row: its cut-offs are not those of the
     * best tokens alone.
     */
    public boolean needsWholeRow() {
        return advanced.changesDraw();
    }

    /**
     * Creates the options of values.
     *
     * @param values values of all levels; a parameter that no level sets has no effect
     * @param choice number of the choice, added to the seed, so that choices of a request differ
     * @param context breakers, end tokens and logit biases of the request
     */
    public static SamplingOptions of(SamplingValues values, int choice, Context context) {
        // 0 keeps only the most likely token, as does the smallest positive number.
        float topP = (float) Math.max(Float.MIN_VALUE, values.get(SamplingParameter.TOP_P));
        return new SamplingOptions(
                (float) values.get(SamplingParameter.TEMPERATURE),
                new Cutoffs(
                        (int) values.get(SamplingParameter.TOP_K),
                        topP,
                        (float) values.get(SamplingParameter.MIN_P)),
                new Penalties(
                        (float) values.get(SamplingParameter.REPEAT_PENALTY),
                        (int) values.get(SamplingParameter.REPEAT_LAST_N),
                        (float) values.get(SamplingParameter.PRESENCE_PENALTY),
                        (float) values.get(SamplingParameter.FREQUENCY_PENALTY)),
                AdvancedSampling.of(values, context.breakers(), context.endDelay()),
                values.seed().isPresent()
                        ? OptionalLong.of(values.seed().getAsLong() + choice)
                        : OptionalLong.empty(),
                context.logitBias());
    }

    /**
     * Creates the options of values, with the usual breakers of repeated sequences.
     *
     * @param values values of all levels; a parameter that no level sets has no effect
     */
    public static SamplingOptions of(SamplingValues values, Tokenizer tokenizer) {
        SequenceBreakers breakers =
                values.get(SamplingParameter.DRY_MULTIPLIER) == 0
                        ? SequenceBreakers.NONE
                        : SequenceBreakers.of(tokenizer, SequenceBreakers.USUAL);
        return of(values, 0, new Context(breakers, AdvancedSampling.EndDelay.NONE, Map.of()));
    }

    /** Returns options that choose the most likely token each time. */
    public static SamplingOptions greedy() {
        return new SamplingOptions(0, Cutoffs.NONE, Penalties.NONE, OptionalLong.empty(), Map.of());
    }

    /** Returns the same options with another temperature. */
    public SamplingOptions atTemperature(float other) {
        return new SamplingOptions(other, cutoffs, penalties, advanced, seed, logitBias);
    }

    /** Returns the same options with other cut-offs. */
    public SamplingOptions within(Cutoffs other) {
        return new SamplingOptions(temperature, other, penalties, advanced, seed, logitBias);
    }

    /** Returns the same options with a seed, which makes the choices reproducible. */
    public SamplingOptions seededWith(long start) {
        return new SamplingOptions(
                temperature, cutoffs, penalties, advanced, OptionalLong.of(start), logitBias);
    }

    /** Returns the same options with biases. */
    public SamplingOptions biased(Map<Integer, Float> bias) {
        return new SamplingOptions(temperature, cutoffs, penalties, advanced, seed, bias);
    }

    /**
     * Returns whether the choice is the plain argmax of the model's logits, so that no logits need
     * to be read.
     */
    public boolean isPlainArgmax() {
        return temperature == 0
                && penalties.areOff()
                && !advanced.changesLogits()
                && logitBias.isEmpty();
    }

    /**
     * Returns whether a token is drawn from the best {@code count} of the model's logits, at most,
     * so that no other logits are needed.
     */
    boolean drawsAmongTop(int count) {
        return !isGreedy()
                && cutoffs.topK() > 0
                && cutoffs.topK() <= count
                && penalties.areOff()
                && logitBias.isEmpty()
                && !advanced.changesLogits()
                && !advanced.changesDraw();
    }

    /**
     * Returns whether the best {@code count} of the model's logits may suffice for a choice: it
     * keeps at most so many tokens, or those near the best one.
     */
    boolean mayDrawAmongTop(int count) {
        boolean few = cutoffs.topK() > 0 && cutoffs.topK() <= count;
        boolean near = cutoffs.topK() == 0 && cutoffs.topP() == 1 && cutoffs.minP() > 0;
        return isGreedy() || few || near;
    }

    /** Returns whether logits are changed by penalties and biases only, none upwards. */
    boolean onlyLowersLogits() {
        return penalties.onlyLower()
                && logitBias.values().stream().allMatch(bias -> bias <= 0)
                && !advanced.changesLogits()
                && !advanced.changesDraw();
    }

    /** Returns whether the most likely token is chosen. */
    boolean isGreedy() {
        return temperature < Sampler.LEAST_TEMPERATURE;
    }

    private static void require(boolean valid, String name, Number found, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(
                    name + ": expected " + expected + ", found " + found);
        }
    }

    /**
     * Options that are no numbers.
     *
     * @param breakers texts that end a repeated sequence
     * @param endDelay tokens that may not be chosen at the start
     * @param logitBias added to the logits of these tokens
     */
    public record Context(
            SequenceBreakers breakers,
            AdvancedSampling.EndDelay endDelay,
            Map<Integer, Float> logitBias) {
        /** No options. */
        public static final Context NONE =
                new Context(SequenceBreakers.NONE, AdvancedSampling.EndDelay.NONE, Map.of());
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
     * @param lastTokens number of latest tokens, prompt included, that {@code repetition} uses; -1:
     *     all
     * @param presence subtracted once from tokens in the generated text
     * @param frequency subtracted per occurrence in the generated text
     */
    public record Penalties(float repetition, int lastTokens, float presence, float frequency) {
        private static final int DEFAULT_LAST = (int) SamplingParameter.REPEAT_LAST_N.neutral();

        /** No penalties. */
        public static final Penalties NONE = new Penalties(1, 0, 0);

        private static final float MOST = 100;

        /** Makes penalties with the default number of latest tokens. */
        public Penalties(float repetition, float presence, float frequency) {
            this(repetition, DEFAULT_LAST, presence, frequency);
        }

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException that names the one that is out of range
         */
        public Penalties {
            require(lastTokens >= -1, "repeat_last_n", lastTokens, "-1 or more");
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

        /** Returns whether no logit rises. */
        boolean onlyLower() {
            return repetition >= 1 && presence >= 0 && frequency >= 0;
        }

        /** Returns whether there are no penalties. */
        boolean areOff() {
            boolean repeats = repetition != 1 && lastTokens != 0;
            return !repeats && presence == 0 && frequency == 0;
        }
    }
}
