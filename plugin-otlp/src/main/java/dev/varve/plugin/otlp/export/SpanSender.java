package dev.varve.plugin.otlp.export;

import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.telemetry.TraceTarget;

import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

/** Opens exporters; created by reflection, in the libraries' class loader. */
public final class SpanSender implements TraceExporterProvider {
    private static final String PATH = "/v1/traces";

    /** Called by reflection. */
    public SpanSender() {}

    @Override
    public String name() {
        return "otlp";
    }

    @Override
    public TraceExporter open(TraceTarget target) throws IOException {
        return new OtlpExporter(url(target.endpoint()), target);
    }

    /**
     * Returns the address for spans, as the protocol defines it: a path below the collector's
     * address, unless that is already the address for spans.
     */
    static String url(URI endpoint) throws IOException {
        String scheme =
                endpoint.getScheme() == null ? "" : endpoint.getScheme().toLowerCase(Locale.ROOT);
        if (!Set.of("http", "https").contains(scheme) || endpoint.getHost() == null) {
            throw new IOException(
                    "expected an address such as http://localhost:4318, found " + endpoint);
        }
        String text = endpoint.toString().replaceAll("/+$", "");
        return text.endsWith(PATH) ? text : text + PATH;
    }
}
