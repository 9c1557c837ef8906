package dev.varve.platform.http.upstream;

import java.time.Duration;

/**
 * How long the other server is waited for.
 *
 * @param connect until a connection stands; positive
 * @param silence without a byte from it, from the request on; positive
 */
public record UpstreamLimits(Duration connect, Duration silence) {
    /** Ten seconds for a connection, and ten minutes of silence. */
    public static final UpstreamLimits USUAL =
            new UpstreamLimits(Duration.ofSeconds(10), Duration.ofMinutes(10));

    /** Checks that both are positive. */
    public UpstreamLimits {
        if (!connect.isPositive() || !silence.isPositive()) {
            throw new IllegalArgumentException(
                    "upstream: expected positive times, found " + connect + " and " + silence);
        }
    }
}
