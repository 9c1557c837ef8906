package dev.varve.platform.http.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of requests to the upstream server. Thread-safe. */
final class UpstreamMetrics {
    private final Counter requests =
            InstrumentFactory.counter(
                    "varve_upstream_requests_total", "Requests for the upstream server.");
    private final Counter failures =
            InstrumentFactory.counter(
                    "varve_upstream_failures_total",
                    "Requests that the upstream server refused or did not reply to.",
                    "kind");

    void countRequest() {
        requests.inc();
    }

    void countFailure(String kind) {
        failures.labelValues(kind).inc();
    }

    List<MetricSnapshot> collect() {
        return List.of(requests.collect(), failures.collect());
    }
}
