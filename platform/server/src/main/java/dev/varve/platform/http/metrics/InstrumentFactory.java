package dev.varve.platform.http.metrics;

import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.stream.Stream;

/** Creates counters and histograms. */
final class InstrumentFactory {
    /** The library's defaults, so that neither environment variables nor files change a metric. */
    private static final PrometheusProperties SETTINGS = PrometheusProperties.builder().build();

    private InstrumentFactory() {}

    static Counter counter(String name, String help, String... labels) {
        return Counter.builder(SETTINGS)
                .name(name)
                .help(help)
                .labelNames(labels)
                .withoutExemplars()
                .build();
    }

    /**
     * Returns a histogram of times.
     *
     * @param bounds upper bounds of its buckets in seconds
     */
    static Histogram histogram(String name, String help, double[] bounds, String... labels) {
        return Histogram.builder(SETTINGS)
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(bounds)
                .withoutExemplars()
                .build();
    }

    /** Returns the current values. */
    static List<MetricSnapshot> collect(Stream<? extends Collector> instruments) {
        return instruments.map(Collector::collect).toList();
    }
}
