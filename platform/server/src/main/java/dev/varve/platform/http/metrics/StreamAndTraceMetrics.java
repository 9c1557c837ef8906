package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.http.trace.TraceCounts;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of the server beside generation: resumable streams and traces. */
final class StreamAndTraceMetrics {
    private StreamAndTraceMetrics() {}

    static List<MetricSnapshot> of(StreamCounts streams) {
        return List.of(
                gauge("varve_kept_streams", "Stored resumable streams.", streams.stored()),
                gauge(
                        "varve_kept_stream_bytes",
                        "Bytes of the events of stored resumable streams.",
                        streams.bytes()),
                counter(
                        "varve_kept_streams_abandoned",
                        "Resumable streams that were cancelled because no client read them.",
                        streams.abandoned()));
    }

    static List<MetricSnapshot> of(TraceCounts traces) {
        return List.of(
                counter(
                        "varve_traces_exported",
                        "Traces of requests that the collector accepted.",
                        traces.exported()),
                new MetricFamily(
                                "varve_traces_lost",
                                "Traces of requests that were not exported: the queue was full, or"
                                        + " the collector did not accept them.")
                        .add(Labels.of("reason", "queue_full"), traces.dropped())
                        .add(Labels.of("reason", "failed"), traces.failed())
                        .counter());
    }
}
