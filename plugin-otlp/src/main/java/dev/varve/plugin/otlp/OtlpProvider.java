package dev.varve.plugin.otlp;

import dev.varve.api.VarveException;
import dev.varve.api.plugin.IsolatedProvider;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.telemetry.TraceTarget;

import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Exporter {@code otlp}: OpenTelemetry's protocol over HTTP, in protobuf. */
public final class OtlpProvider implements TraceExporterProvider {
    /**
     * The libraries log again, with the whole stack trace, what the platform logs in one line. The
     * reference keeps the logger's level from being lost.
     */
    private static final Logger THEIR_LOG = Logger.getLogger("io.opentelemetry");

    private final IsolatedProvider<TraceExporterProvider> sender =
            new IsolatedProvider<>(
                    OtlpProvider.class,
                    TraceExporterProvider.class,
                    "dev.varve.plugin.otlp.export.SpanSender",
                    "trace exporter otlp: cannot load its libraries");

    /** Called by the service loader. */
    public OtlpProvider() {}

    @Override
    public String name() {
        return "otlp";
    }

    /** Loads the libraries, which takes a few hundred milliseconds. */
    @Override
    public TraceExporter open(TraceTarget target) throws IOException {
        THEIR_LOG.setLevel(Level.OFF);
        try {
            return sender.get().open(target);
        } catch (VarveException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
