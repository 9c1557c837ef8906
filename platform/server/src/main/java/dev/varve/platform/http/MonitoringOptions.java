package dev.varve.platform.http;

import dev.varve.platform.http.trace.Tracing;

import java.util.Objects;

/**
 * What is told of the server to those who watch it, beside its own metrics.
 *
 * @param vllmNames whether some metrics have vLLM's names, too
 * @param tracing which requests are traced; stays the caller's, who closes it
 */
public record MonitoringOptions(boolean vllmNames, Tracing tracing) {
    /** Its own metrics alone. */
    public static final MonitoringOptions PLAIN = new MonitoringOptions(false, Tracing.off());

    /** Checks that nothing is missing. */
    public MonitoringOptions {
        Objects.requireNonNull(tracing);
    }
}
