/**
 * The engine and the server. Knows the API, Jetty, Jackson, picocli and Prometheus' client; knows
 * no plugin. Programs that open models themselves use {@link dev.varve.platform.host}.
 */
module dev.varve.platform {
    requires transitive dev.varve.api;
    requires info.picocli;
    requires io.prometheus.metrics.config;
    requires io.prometheus.metrics.core;
    requires io.prometheus.metrics.model;
    requires io.prometheus.writer.text;
    requires jakarta.servlet;
    requires java.logging;
    requires java.management;
    requires java.net.http;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires org.eclipse.jetty.ee11.servlet;
    requires org.eclipse.jetty.http;
    requires org.eclipse.jetty.io;
    requires org.eclipse.jetty.server;
    requires org.eclipse.jetty.util;
    requires tools.jackson.core;
    requires tools.jackson.databind;

    exports dev.varve.platform.host;

    opens dev.varve.platform.cli to
            info.picocli;

    uses dev.varve.api.backend.DeviceBackendProvider;
    uses dev.varve.api.event.CacheListenerProvider;
    uses dev.varve.api.model.ModelFamilyProvider;
    uses dev.varve.api.snapshot.SharedStoreProvider;
    uses dev.varve.api.snapshot.SnapshotStoreProvider;
    uses dev.varve.api.speculation.SpeculatorProvider;
    uses dev.varve.api.telemetry.TraceExporterProvider;
    uses dev.varve.api.transport.TransportProvider;
}
