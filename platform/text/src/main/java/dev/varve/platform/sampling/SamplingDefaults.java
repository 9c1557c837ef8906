package dev.varve.platform.sampling;

import java.util.Objects;

/**
 * Sampling values of requests that set none.
 *
 * @param file values that the model's file recommends
 * @param server values that the operator sets, which override the file's
 */
public record SamplingDefaults(SamplingValues file, SamplingValues server) {
    /** Neither level sets a value. */
    public static final SamplingDefaults NONE =
            new SamplingDefaults(SamplingValues.NONE, SamplingValues.NONE);

    /** Checks that both levels are present. */
    public SamplingDefaults {
        Objects.requireNonNull(file);
        Objects.requireNonNull(server);
    }

    /** Returns the values that both levels together set. */
    public SamplingValues effective() {
        return server.over(file);
    }
}
