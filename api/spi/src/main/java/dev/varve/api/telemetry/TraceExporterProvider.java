package dev.varve.api.telemetry;

import java.io.IOException;

/**
 * A protocol for sending traces; found with {@link java.util.ServiceLoader}.
 *
 * <p>The platform creates one instance per process. The constructor must not open connections,
 * start threads or load anything large, because listing plugins has to stay cheap.
 */
public interface TraceExporterProvider {
    /** Name of the protocol, one word such as {@code "otlp"}; unique among providers. */
    String name();

    /**
     * Opens an exporter. Does not wait for the collector, because an unreachable collector must not
     * keep the server from starting.
     *
     * @throws IOException if the target is invalid or the exporter's own libraries cannot be used
     */
    TraceExporter open(TraceTarget target) throws IOException;
}
