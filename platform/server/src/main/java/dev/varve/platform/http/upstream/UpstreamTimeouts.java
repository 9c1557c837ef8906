package dev.varve.platform.http.upstream;

import java.time.Duration;

/**
 * Timeouts of requests to the upstream server.
 *
 * @param connect time to connect; positive
 * @param idleTimeout time without a byte from the server, from the request on; positive
 */
public record UpstreamTimeouts(Duration connect, Duration idleTimeout) {
    /** Ten seconds for a connection, and ten minutes without data. */
    public static final UpstreamTimeouts USUAL =
            new UpstreamTimeouts(Duration.ofSeconds(10), Duration.ofMinutes(10));

    /** Checks that both are positive. */
    public UpstreamTimeouts {
        if (!connect.isPositive() || !idleTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "upstream: expected positive times, found " + connect + " and " + idleTimeout);
        }
    }
}
