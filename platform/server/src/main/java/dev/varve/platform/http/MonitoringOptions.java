package dev.varve.platform.http;

import dev.varve.platform.http.trace.Tracing;

import java.util.Objects;

/**
 * Optional monitoring output, beside the server's own metrics.
 *
 * @param vllmNames whether some metrics are also exposed under vLLM's names
 * @param tracing traces requests; the caller owns and closes it
 */
public record MonitoringOptions(boolean vllmNames, Tracing tracing) {
    /** The server's own metrics only. */
    public static final MonitoringOptions PLAIN = new MonitoringOptions(false, Tracing.off());

    /** Checks for null. */
    public MonitoringOptions {
        Objects.requireNonNull(tracing);
    }
}
