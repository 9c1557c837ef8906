package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.http.trace.TraceCounts;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of the server beside generation: resumable streams and traces. */
final class ServerMetrics {
    private ServerMetrics() {}

    static List<MetricSnapshot> of(StreamCounts streams) {
        return List.of(
                gauge(
                        "varve_kept_streams",
                        "Streams that are kept for clients that may come back.",
                        streams.kept()),
                gauge("varve_kept_stream_bytes", "Bytes of the events of these.", streams.bytes()),
                counter(
                        "varve_kept_streams_abandoned",
                        "Kept streams that were cancelled since nobody read them.",
                        streams.abandoned()));
    }

    static List<MetricSnapshot> of(TraceCounts traces) {
        return List.of(
                counter(
                        "varve_traces_exported",
                        "Traces of requests that the collector took.",
                        traces.exported()),
                new MetricFamily(
                                "varve_traces_lost",
                                "Traces of requests that did not get there: too many waited, or"
                                        + " the collector did not take them.")
                        .add(Labels.of("reason", "queue_full"), traces.dropped())
                        .add(Labels.of("reason", "failed"), traces.failed())
                        .counter());
    }
}
