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
 * @param headers of each request, such as a key of the collector's
 * @param resource facts of this process, such as {@code service.name}
 */
public record TraceTarget(
        URI endpoint, Duration timeout, Map<String, String> headers, Map<String, String> resource) {
    /** Copies headers and facts. */
    public TraceTarget {
        Objects.requireNonNull(endpoint);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout must be positive, got " + timeout);
        }
        headers = Map.copyOf(headers);
        resource = Map.copyOf(resource);
    }

    /** Without the headers' values, which may be secret. */
    @Override
    public String toString() {
        return "TraceTarget[endpoint=" + endpoint + ", headers=" + headers.keySet() + "]";
    }
}
