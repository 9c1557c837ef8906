package dev.varve.platform.plan;

/**
 * What guessing tokens is worth, by how many of them turn out right.
 *
 * @param tokens of a step that checks guesses, the known one included
 * @param plainMillis a step of a single token
 * @param checkMillis a step of that many
 * @param guessMillis guessing, once for each such step
 */
public record SpeculationForecast(
        int tokens, double plainMillis, double checkMillis, double guessMillis) {
    /** Checks that steps take time. */
    public SpeculationForecast {
        if (tokens < 2 || !(plainMillis > 0) || !(checkMillis > 0) || !(guessMillis >= 0)) {
            throw new IllegalArgumentException(
                    tokens + " tokens, " + plainMillis + ", " + checkMillis + ", " + guessMillis);
        }
    }

    /** Tokens that a checking step must give on average to be as fast as none. */
    public double breakEvenLength() {
        return (checkMillis + guessMillis) / plainMillis;
    }

    /**
     * How many times as fast decode is.
     *
     * @param acceptanceLength tokens that a checking step gives, the model's own included
     */
    public double speedup(double acceptanceLength) {
        return acceptanceLength / breakEvenLength();
    }
}
