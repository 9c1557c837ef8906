package dev.varve.plugin.otlp;

import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.telemetry.TraceTarget;

import java.io.IOException;

/** Exporter {@code otlp}: OpenTelemetry's protocol over HTTP, in protobuf. */
public final class OtlpProvider implements TraceExporterProvider {
    /** Called by the service loader. */
    public OtlpProvider() {}

    @Override
    public String name() {
        return "otlp";
    }

    /** Loads the libraries, which takes a few hundred milliseconds. */
    @Override
    public TraceExporter open(TraceTarget target) throws IOException {
        return Libraries.load("dev.varve.plugin.otlp.export.SpanSender").open(target);
    }
}
