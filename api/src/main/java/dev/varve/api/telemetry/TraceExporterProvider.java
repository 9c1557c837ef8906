package dev.varve.api.telemetry;

import java.io.IOException;

/**
 * A way to send traces; found with {@link java.util.ServiceLoader}.
 *
 * <p>The platform creates one instance per process. The constructor must not open connections,
 * start threads or load anything large: listing plugins has to stay cheap.
 */
public interface TraceExporterProvider {
    /** What it is called, one word such as {@code "otlp"}; unique among providers. */
    String name();

    /**
     * Gets ready to send. Does not wait for the collector: one that is away must not keep a server
     * from starting.
     *
     * @throws IOException if the target is of no use, or the exporter's own libraries are
     */
    TraceExporter open(TraceTarget target) throws IOException;
}
