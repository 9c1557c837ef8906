package dev.varve.platform.http.metrics;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.trace.TraceCounts;

import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Counters and times of requests, and what {@code /metrics} says. Thread-safe. What counts and what
 * tells a time takes no lock but while {@link #expose} copies the same one, and that is short.
 */
public final class Metrics {
    /**
     * The library's own, so that neither variables nor files around the process change a metric.
     */
    private static final PrometheusProperties SETTINGS = PrometheusProperties.builder().build();

    private final Counter requests =
            Counter.builder(SETTINGS)
                    .name("varve_requests_total")
                    .help("HTTP requests by route, status, finish reason and model.")
                    .labelNames("route", "code", "finish_reason", "model")
                    .withoutExemplars()
                    .build();
    private final Counter disconnects =
            Counter.builder(SETTINGS)
                    .name("varve_client_disconnects_total")
                    .help("Clients that went away before their answer ended.")
                    .withoutExemplars()
                    .build();
    private final GenerationMetrics generations = new GenerationMetrics(SETTINGS);

    private final CompressionMetrics compression = new CompressionMetrics(SETTINGS);
    private volatile boolean compresses;

    private final UpstreamMetrics upstream = new UpstreamMetrics(SETTINGS);
    private volatile boolean forwards;

    private final boolean vllmNames;
    private volatile Supplier<Optional<StreamCounts>> streams = Optional::empty;
    private volatile Supplier<Optional<TraceCounts>> traces = Optional::empty;

    /** Under Varve's own names. */
    public Metrics() {
        this(false);
    }

    /**
     * @param vllmNames whether some are told under vLLM's names, too
     */
    public Metrics(boolean vllmNames) {
        this.vllmNames = vllmNames;
    }

    /** Times and ends of a model's answers. {@code model}: its id, never what a client wrote. */
    public GenerationTimes of(String model) {
        return generations.of(model);
    }

    /**
     * Counts an answered request.
     *
     * @param route its route, of which there are few
     * @param code HTTP status
     * @param finishReason how its generation ended; {@code ""} for one that generates nothing
     * @param model id of its model; {@code ""} for one that got none
     */
    public void countRequest(String route, int code, String finishReason, String model) {
        requests.labelValues(route, Integer.toString(code), finishReason, model).inc();
    }

    /** Counts a client that went away before its answer ended. */
    public void countDisconnect() {
        disconnects.inc();
    }

    /**
     * Prompts may become shorter: what comes of it is told from now on.
     *
     * @param model id of the one whose prompts they are; {@code ""} for another server's
     */
    public void tellCompression(String model) {
        compression.tell(model);
        compresses = true;
    }

    /** Counts a prompt that became shorter. {@code model}: whose it was. */
    public void countCompression(CompressionReport report, String model) {
        compression.count(report, model);
    }

    /** Counts a prompt that should have become shorter and did not. {@code model}: whose it was. */
    public void countFailedCompression(String model) {
        compression.countFailure(model);
    }

    /** Requests are sent on: what comes of it is told from now on. */
    public void tellUpstream() {
        forwards = true;
    }

    /** Counts a request for another server. */
    public void countUpstreamRequest() {
        upstream.countRequest();
    }

    /**
     * Counts one that it refused, or gave no reply to.
     *
     * @param kind how, of which there are few
     */
    public void countUpstreamFailure(String kind) {
        upstream.countFailure(kind);
    }

    /** Streams are kept: {@code now} tells how many. */
    public void tellStreams(Supplier<StreamCounts> now) {
        streams = () -> Optional.of(now.get());
    }

    /** {@code now} tells what becomes of traces; empty where there are none. */
    public void tellTraces(Supplier<Optional<TraceCounts>> now) {
        traces = now;
    }

    /**
     * All metrics. Waits for nobody.
     *
     * @param models all models of the server; what belongs to one of them has its id as a label
     * @param accept header of that name, if there is one
     */
    public Exposition expose(List<ModelSample> models, Optional<String> accept) {
        List<MetricSnapshot> all = new ArrayList<>(ModelMetrics.of(models));
        if (vllmNames) {
            all.addAll(VllmMetrics.of(models));
        }
        all.add(requests.collect());
        all.add(disconnects.collect());
        all.addAll(generations.collect());
        if (compresses) {
            all.addAll(compression.collect());
        }
        if (forwards) {
            all.addAll(upstream.collect());
        }
        streams.get().map(ServerMetrics::of).ifPresent(all::addAll);
        traces.get().map(ServerMetrics::of).ifPresent(all::addAll);
        return Exposition.of(all, accept);
    }
}
