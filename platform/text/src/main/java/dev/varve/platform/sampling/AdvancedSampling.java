package dev.varve.platform.sampling;

import java.util.Objects;
import java.util.Set;

/**
 * Samplers that few requests use.
 *
 * @param topNSigma tokens whose logit is more than this many standard deviations below the highest
 *     one are dropped; 0 and less: none
 * @param typicalP the tokens whose surprise is nearest to the entropy are kept until their
 *     probabilities reach this; 1: all
 * @param xtc drops the most likely tokens at random
 * @param dry penalty of repeated sequences
 * @param mirostat control of the surprise of the chosen tokens
 * @param endDelay tokens that may not be chosen at the start
 */
public record AdvancedSampling(
        float topNSigma, float typicalP, Xtc xtc, Dry dry, Mirostat mirostat, EndDelay endDelay) {
    /** None of the samplers is on. */
    public static final AdvancedSampling NONE =
            new AdvancedSampling(-1, 1, Xtc.OFF, Dry.OFF, Mirostat.OFF, EndDelay.NONE);

    /** Checks that no component is null. */
    public AdvancedSampling {
        Objects.requireNonNull(xtc);
        Objects.requireNonNull(dry);
        Objects.requireNonNull(mirostat);
        Objects.requireNonNull(endDelay);
    }

    /** Creates the samplers of values. */
    static AdvancedSampling of(
            SamplingValues values, SequenceBreakers breakers, EndDelay endDelay) {
        return new AdvancedSampling(
                (float) values.get(SamplingParameter.TOP_N_SIGMA),
                (float) values.get(SamplingParameter.TYPICAL_P),
                new Xtc(
                        (float) values.get(SamplingParameter.XTC_PROBABILITY),
                        (float) values.get(SamplingParameter.XTC_THRESHOLD)),
                new Dry(
                        (float) values.get(SamplingParameter.DRY_MULTIPLIER),
                        (float) values.get(SamplingParameter.DRY_BASE),
                        (int) values.get(SamplingParameter.DRY_ALLOWED_LENGTH),
                        (int) values.get(SamplingParameter.DRY_PENALTY_LAST_N),
                        breakers),
                new Mirostat(
                        (int) values.get(SamplingParameter.MIROSTAT),
                        (float) values.get(SamplingParameter.MIROSTAT_TAU),
                        (float) values.get(SamplingParameter.MIROSTAT_ETA)),
                endDelay);
    }

    /** Returns whether the draw needs more than top-k, top-p and min-p. */
    boolean changesDraw() {
        return topNSigma > 0 || typicalP < 1 || xtc.probability() > 0 || mirostat.version() != 0;
    }

    /** Returns whether logits are changed before the choice. */
    boolean changesLogits() {
        return dry.isOn() || endDelay.tokens() > 0 && !endDelay.endTokens().isEmpty();
    }

    /**
     * Exclusion of the most likely tokens: if several tokens have a probability of at least {@code
     * threshold}, all of them but the least likely one are dropped.
     *
     * @param probability probability of the exclusion at each token, 0 to 1
     * @param threshold least probability, 0 to 1
     */
    public record Xtc(float probability, float threshold) {
        /** Drops nothing. */
        public static final Xtc OFF = new Xtc(0, 0.1f);
    }

    /**
     * Penalty of tokens that would continue a repeated sequence.
     *
     * @param multiplier penalty of the shortest such sequence; 0: off
     * @param base factor for each further token of the sequence
     * @param allowedLength length of the shortest sequence with a penalty
     * @param lastTokens number of latest tokens, prompt included, that are searched; -1: all
     * @param breakers texts that end a sequence
     */
    public record Dry(
            float multiplier,
            float base,
            int allowedLength,
            int lastTokens,
            SequenceBreakers breakers) {
        /** No penalty. */
        public static final Dry OFF = new Dry(0, 1.75f, 2, -1, SequenceBreakers.NONE);

        boolean isOn() {
            return multiplier != 0 && lastTokens != 0;
        }
    }

    /**
     * Control of the surprise, the negative binary logarithm of a chosen token's probability; it
     * replaces all cut-offs.
     *
     * @param version 1 estimates the exponent of the distribution, 2 limits the surprise; 0: off
     * @param tau target of the surprise, in bits
     * @param eta learning rate
     */
    public record Mirostat(int version, float tau, float eta) {
        /** No control. */
        public static final Mirostat OFF = new Mirostat(0, 5, 0.1f);
    }

    /**
     * Tokens that may not be chosen at the start of a response, unless a grammar permits no others.
     *
     * @param tokens number of tokens before one of them may be chosen
     * @param endTokens the tokens
     */
    public record EndDelay(int tokens, Set<Integer> endTokens) {
        /** All tokens may be chosen. */
        public static final EndDelay NONE = new EndDelay(0, Set.of());

        /** Copies the tokens. */
        public EndDelay {
            endTokens = Set.copyOf(endTokens);
        }
    }
}
