package dev.varve.api.telemetry;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * Where traces go, and whose they are.
 *
 * @param endpoint address of the collector, as the user gave it
 * @param timeout longest time that sending may take, retries included
 * @param resource facts of this process, such as {@code service.name}
 */
public record TraceTarget(URI endpoint, Duration timeout, Map<String, String> resource) {
    /** Copies the facts. */
    public TraceTarget {
        Objects.requireNonNull(endpoint);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout must be positive, got " + timeout);
        }
        resource = Map.copyOf(resource);
    }
}
