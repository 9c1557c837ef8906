package dev.varve.api.telemetry;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * Destination of traces, and the process that they describe.
 *
 * @param endpoint address of the collector, as the user gave it
 * @param timeout longest time that sending may take, retries included
 * @param headers headers of each request, such as an API key of the collector
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

    /** Omits the headers' values, which may be secret. */
    @Override
    public String toString() {
        return "TraceTarget[endpoint=" + endpoint + ", headers=" + headers.keySet() + "]";
    }
}
