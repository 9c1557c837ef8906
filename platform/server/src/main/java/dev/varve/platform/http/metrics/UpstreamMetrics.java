package dev.varve.platform.http.metrics;

import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of requests to the upstream server. Thread-safe. */
final class UpstreamMetrics {
    private final Counter requests;
    private final Counter failures;

    UpstreamMetrics(PrometheusProperties settings) {
        requests =
                Counter.builder(settings)
                        .name("varve_upstream_requests_total")
                        .help("Requests for the upstream server.")
                        .withoutExemplars()
                        .build();
        failures =
                Counter.builder(settings)
                        .name("varve_upstream_failures_total")
                        .help("Requests that the upstream server refused or gave no reply to.")
                        .labelNames("kind")
                        .withoutExemplars()
                        .build();
    }

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
