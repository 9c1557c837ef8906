package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.telemetry.TraceTarget;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.Release;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** Options of metrics and traces. */
final class MonitoringArguments {
    private static final String ENDPOINT = "--otlp-endpoint";
    private static final String SHARE = "--otlp-share";
    private static final String HEADERS = "--otlp-header-file";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Metric names beside Varve's own. */
    enum Aliases {
        NONE,
        VLLM
    }

    @Option(
            names = "--metrics-aliases",
            defaultValue = "none",
            paramLabel = "none|vllm",
            description =
                    "Additional metric names on /metrics. vllm adds vllm:num_requests_waiting and"
                            + " the others that gateways route by.",
            order = 25)
    private Aliases aliases;

    @Option(
            names = ENDPOINT,
            paramLabel = "URL",
            description =
                    "OpenTelemetry collector for traces, such as http://localhost:4318 (default:"
                            + " none). It receives a trace of each request, without its text;"
                            + " /v1/traces is appended. A request never waits for it.",
            order = 26)
    private Optional<URI> endpoint = Optional.empty();

    @Option(
            names = SHARE,
            paramLabel = "SHARE",
            description =
                    "Share of requests that are traced, 0 to 1, unless the client's traceparent"
                            + " decides (default: 1). Needs --otlp-endpoint.",
            order = 27)
    private Optional<Double> share = Optional.empty();

    @Option(
            names = HEADERS,
            paramLabel = "FILE",
            description =
                    "File with headers for the collector, such as its key, one NAME: VALUE per"
                            + " line. Needs --otlp-endpoint.",
            order = 28)
    private Optional<Path> headers = Optional.empty();

    /** Whether some metrics also have vLLM's names. */
    boolean vllmNames() {
        return aliases == Aliases.VLLM;
    }

    /**
     * Returns the tracing of requests. The caller closes it.
     *
     * @param plugins requested if tracing is on
     * @throws UsageException if flags are wrong
     * @throws VarveException of kind INVALID_REQUEST if the address is malformed
     * @throws VarveException of kind UNAVAILABLE if no plugin can export traces
     */
    Tracing tracing(Supplier<PluginCatalog> plugins) {
        double part = share.orElse(1.0);
        if (!(part >= 0 && part <= 1)) {
            throw new UsageException(SHARE + ": expected a number from 0 to 1, found " + part);
        }
        if (endpoint.isEmpty()) {
            requireCollector(SHARE, share);
            requireCollector(HEADERS, headers);
            return Tracing.off();
        }
        try {
            return Tracing.to(
                    plugins.get().traceExporter("otlp").open(target(endpoint.get())), part);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST, ENDPOINT + ": " + e.getMessage(), e);
        }
    }

    private static void requireCollector(String flag, Optional<?> given) {
        if (given.isPresent()) {
            throw new UsageException(flag + ": needs " + ENDPOINT);
        }
    }

    private TraceTarget target(URI endpoint) {
        return new TraceTarget(
                endpoint,
                TIMEOUT,
                headers.map(file -> HttpHeaderFile.read(HEADERS, file)).orElse(Map.of()),
                Map.of(
                        "service.name",
                        "varve",
                        "service.version",
                        Release.version(),
                        "service.instance.id",
                        UUID.randomUUID().toString()));
    }
}
