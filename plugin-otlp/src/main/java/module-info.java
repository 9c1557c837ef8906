/**
 * Sends traces of requests to a collector, in OpenTelemetry's protocol over HTTP.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * are in the folder {@code lib} beside its jar, and are loaded when traces are enabled.
 */
module dev.varve.plugin.otlp {
    requires dev.varve.api;
    requires java.logging;
    requires static io.opentelemetry.api;
    requires static io.opentelemetry.common;
    requires static io.opentelemetry.context;
    requires static io.opentelemetry.exporter.otlp;
    requires static io.opentelemetry.sdk.common;
    requires static io.opentelemetry.sdk.trace;

    provides dev.varve.api.telemetry.TraceExporterProvider with
            dev.varve.plugin.otlp.OtlpProvider;
}
