package dev.varve.platform.http.metrics;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.trace.TraceCounts;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Counts and times requests, and writes {@code /metrics}. Thread-safe. Counting and timing take a
 * lock only while {@link #encode} copies the same metric, which is short.
 */
public final class Metrics {
    private final Counter requests =
            InstrumentFactory.counter(
                    "varve_requests_total",
                    "HTTP requests by route, status, finish reason and model.",
                    "route",
                    "code",
                    "finish_reason",
                    "model");
    private final Counter disconnects =
            InstrumentFactory.counter(
                    "varve_client_disconnects_total",
                    "Clients that disconnected before their response ended.");
    private final GenerationLatencyMetrics generations = new GenerationLatencyMetrics();

    private final CompressionMetrics compression = new CompressionMetrics();
    private volatile boolean showsCompression;

    private final UpstreamMetrics upstream = new UpstreamMetrics();
    private volatile boolean showsUpstream;

    private final boolean vllmNames;
    private volatile Supplier<Optional<StreamCounts>> streams = Optional::empty;
    private volatile Supplier<Optional<TraceCounts>> traces = Optional::empty;

    /** Makes metrics under Varve's own names. */
    public Metrics() {
        this(false);
    }

    /**
     * @param vllmNames whether some metrics are also exposed under vLLM's names
     */
    public Metrics(boolean vllmNames) {
        this.vllmNames = vllmNames;
    }

    /**
     * Returns the times of a model's generations. {@code model} is its id, never a name from a
     * client.
     */
    public GenerationLatencyRecorder of(String model) {
        return generations.of(model);
    }

    /**
     * Counts an answered request.
     *
     * @param route label of its route, from a bounded set
     * @param code HTTP status
     * @param finishReason how its generation ended; {@code ""} for a request that generates nothing
     * @param model id of its model; {@code ""} if it acquired none
     */
    public void countRequest(String route, int code, String finishReason, String model) {
        requests.labelValues(route, Integer.toString(code), finishReason, model).inc();
    }

    /** Counts a client that disconnected before its response ended. */
    public void countDisconnect() {
        disconnects.inc();
    }

    /**
     * Exposes compression metrics of a model from now on.
     *
     * @param model id of the model; {@code ""} for an upstream server's
     */
    public void exposeCompression(String model) {
        compression.expose(model);
        showsCompression = true;
    }

    /** Counts a compressed prompt of {@code model}. */
    public void countCompression(CompressionReport report, String model) {
        compression.count(report, model);
    }

    /** Counts a prompt of {@code model} whose compression failed. */
    public void countFailedCompression(String model) {
        compression.countFailure(model);
    }

    /** Exposes metrics of forwarded requests from now on. */
    public void exposeUpstream() {
        showsUpstream = true;
    }

    /** Counts a request to the upstream server. */
    public void countUpstreamRequest() {
        upstream.countRequest();
    }

    /**
     * Counts a request that the upstream server refused or did not answer.
     *
     * @param kind kind of failure, from a bounded set
     */
    public void countUpstreamFailure(String kind) {
        upstream.countFailure(kind);
    }

    /** Exposes the counts of resumable streams, which {@code now} returns. */
    public void exposeStreams(Supplier<StreamCounts> now) {
        streams = () -> Optional.of(now.get());
    }

    /** Exposes the counts of traces, which {@code now} returns; empty if tracing is off. */
    public void exposeTraces(Supplier<Optional<TraceCounts>> now) {
        traces = now;
    }

    /**
     * Returns all metrics. Does not block.
     *
     * @param models all models of the server; metrics of one model have its id as a label
     * @param accept value of the {@code Accept} header, if present
     */
    public EncodedMetrics encode(List<ModelSample> models, Optional<String> accept) {
        List<MetricSnapshot> all = new ArrayList<>(PerModelMetrics.of(models));
        if (vllmNames) {
            all.addAll(VllmMetrics.of(models));
        }
        all.add(requests.collect());
        all.add(disconnects.collect());
        all.addAll(generations.collect());
        if (showsCompression) {
            all.addAll(compression.collect());
        }
        if (showsUpstream) {
            all.addAll(upstream.collect());
        }
        streams.get().map(StreamAndTraceMetrics::of).ifPresent(all::addAll);
        traces.get().map(StreamAndTraceMetrics::of).ifPresent(all::addAll);
        return EncodedMetrics.of(all, accept);
    }
}
