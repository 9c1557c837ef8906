package dev.varve.platform.http.metrics;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.engine.EngineStatus;

import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Counters and times of requests. Thread-safe. {@code observe…} and {@code count…} take no lock but
 * while {@link #text} copies the same histogram, and that is short, so the engine's thread may call
 * them for each token.
 */
public final class Metrics {
    /** Of the text that {@link #text} makes. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /**
     * The library's own, so that neither variables nor files around the process change a metric.
     */
    private static final PrometheusProperties SETTINGS = PrometheusProperties.builder().build();

    private static final double[] BOUNDS_SECONDS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
    };
    private static final double NANOS_PER_SECOND = 1e9;

    private final Counter requests =
            Counter.builder(SETTINGS)
                    .name("varve_requests_total")
                    .help("HTTP requests by route, status and finish reason.")
                    .labelNames("route", "code", "finish_reason")
                    .withoutExemplars()
                    .build();
    private final Counter disconnects =
            Counter.builder(SETTINGS)
                    .name("varve_client_disconnects_total")
                    .help("Clients that went away before their answer ended.")
                    .withoutExemplars()
                    .build();
    private final Histogram timeToFirstToken =
            times("varve_time_to_first_token_seconds", "Time from the request to its first token.");
    private final Histogram interTokenLatency =
            times("varve_inter_token_latency_seconds", "Time between two tokens of a request.");
    private final Histogram queueTime =
            times("varve_queue_time_seconds", "Time that a request waited in the queue.");
    private final Histogram requestLatency =
            times("varve_e2e_request_latency_seconds", "Time from the request to its last token.");

    private final CompressionMetrics compression = new CompressionMetrics(SETTINGS);
    private volatile boolean compresses;

    private final UpstreamMetrics upstream = new UpstreamMetrics(SETTINGS);
    private volatile boolean forwards;

    private static Histogram times(String name, String help) {
        return Histogram.builder(SETTINGS)
                .name(name)
                .help(help)
                .classicOnly()
                .classicUpperBounds(BOUNDS_SECONDS)
                .withoutExemplars()
                .build();
    }

    /**
     * Counts an answered request.
     *
     * @param route its route, of which there are few
     * @param code HTTP status
     * @param finishReason how its generation ended; {@code ""} for one that generates nothing
     */
    public void countRequest(String route, int code, String finishReason) {
        requests.labelValues(route, Integer.toString(code), finishReason).inc();
    }

    /** Counts a client that went away before its answer ended. */
    public void countDisconnect() {
        disconnects.inc();
    }

    /** Prompts may become shorter: what comes of it is told from now on. */
    public void tellCompression() {
        compresses = true;
    }

    /** Counts a prompt that became shorter. */
    public void countCompression(CompressionReport report) {
        compression.count(report);
    }

    /** Counts a prompt that should have become shorter and did not. */
    public void countFailedCompression() {
        compression.countFailure();
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

    /** Tells how long a request waited in the engine's queue. */
    public void observeQueueTime(long nanos) {
        queueTime.observe(nanos / NANOS_PER_SECOND);
    }

    /** Tells how long a request took to its first token. */
    public void observeFirstToken(long nanos) {
        timeToFirstToken.observe(nanos / NANOS_PER_SECOND);
    }

    /** Tells the time between two tokens of a request. */
    public void observeTokenGap(long nanos) {
        interTokenLatency.observe(nanos / NANOS_PER_SECOND);
    }

    /** Tells how long a request took to its last token. */
    public void observeRequest(long nanos) {
        requestLatency.observe(nanos / NANOS_PER_SECOND);
    }

    /**
     * All metrics in Prometheus' text format 0.0.4.
     *
     * @param status of the engine; empty while there is none
     */
    public String text(Optional<EngineStatus> status) {
        return text(status.map(EngineMetrics::of).orElse(List.of()).stream());
    }

    /** Likewise, of several models; what belongs to one of them has its id as a label. */
    public String text(List<ModelSample> models) {
        return text(ModelMetrics.of(models).stream());
    }

    private String text(Stream<MetricSnapshot> engines) {
        ExpositionText text = new ExpositionText();
        engines.forEach(text::add);
        text.add(requests.collect());
        text.add(disconnects.collect());
        text.add(timeToFirstToken.collect());
        text.add(interTokenLatency.collect());
        text.add(queueTime.collect());
        text.add(requestLatency.collect());
        if (compresses) {
            compression.collect().forEach(text::add);
        }
        if (forwards) {
            upstream.collect().forEach(text::add);
        }
        return text.toString();
    }
}
