package dev.varve.embedded;

import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

/**
 * How tokens are chosen. A value that is not set comes from the level below: a request, the options
 * of the model, its file. Immutable.
 *
 * @since 0.1.0
 */
public final class Sampling {
    /** Sets nothing. */
    public static final Sampling DEFAULT = new Sampling(SamplingValues.NONE);

    private final SamplingValues values;

    private Sampling(SamplingValues values) {
        this.values = values;
    }

    /**
     * Returns a copy with a temperature.
     *
     * @param value 0 to 100; 0 chooses the most likely token
     */
    public Sampling temperature(double value) {
        return with(SamplingParameter.TEMPERATURE, value);
    }

    /**
     * Returns a copy that draws from the most likely tokens with this probability together.
     *
     * @param value 0 to 1
     */
    public Sampling topP(double value) {
        return with(SamplingParameter.TOP_P, value);
    }

    /**
     * Returns a copy that draws from this number of tokens.
     *
     * @param value 0 for all
     */
    public Sampling topK(int value) {
        return with(SamplingParameter.TOP_K, value);
    }

    /** Returns a copy with a seed, which makes responses reproducible. */
    public Sampling seed(long value) {
        return new Sampling(values.withSeed(value));
    }

    /**
     * Returns a copy with any other value of the server's API.
     *
     * @param name name in requests, such as {@code min_p} or {@code presence_penalty}
     * @throws IllegalArgumentException if the name is unknown, or the value out of its range
     */
    public Sampling with(String name, double value) {
        return with(
                SamplingParameter.find(name)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "expected one of "
                                                        + SamplingParameter.wireNames()
                                                        + ", found "
                                                        + name)),
                value);
    }

    private Sampling with(SamplingParameter parameter, double value) {
        return new Sampling(values.with(parameter, value));
    }

    SamplingValues values() {
        return values;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sampling that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
