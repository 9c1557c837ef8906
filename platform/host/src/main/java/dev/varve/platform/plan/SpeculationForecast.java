package dev.varve.platform.plan;

/**
 * Forecast of the gain of speculative decoding, by acceptance length.
 *
 * @param tokens tokens of a step that verifies draft tokens, including the known one
 * @param plainMillis time of a step with a single token
 * @param checkMillis time of a step with {@code tokens} tokens
 * @param draftMillis time of drafting, once for each such step
 */
public record SpeculationForecast(
        int tokens, double plainMillis, double checkMillis, double draftMillis) {
    /** Checks that the times are positive. */
    public SpeculationForecast {
        if (tokens < 2 || !(plainMillis > 0) || !(checkMillis > 0) || !(draftMillis >= 0)) {
            throw new IllegalArgumentException(
                    tokens + " tokens, " + plainMillis + ", " + checkMillis + ", " + draftMillis);
        }
    }

    /** Returns the acceptance length at which a verifying step is as fast as plain decode. */
    public double breakEvenLength() {
        return (checkMillis + draftMillis) / plainMillis;
    }

    /**
     * Returns the speedup of decode.
     *
     * @param acceptanceLength mean number of tokens that a verifying step gives, including the
     *     model's own
     */
    public double speedup(double acceptanceLength) {
        return acceptanceLength / breakEvenLength();
    }
}
