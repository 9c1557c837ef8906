package dev.varve.platform.http.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The current samples of one metric. */
final class MetricFamily {
    /** A sample. */
    private record Sample(Labels labels, double value) {}

    private final MetricMetadata metadata;
    private final List<Sample> samples = new ArrayList<>();

    /** Makes an empty metric; {@code name} has no suffix, which the kind of metric adds. */
    MetricFamily(String name, String help) {
        metadata = new MetricMetadata(name, help);
    }

    /** Returns a gauge with a single sample without labels. */
    static MetricSnapshot gauge(String name, String help, double value) {
        return new MetricFamily(name, help).add(Labels.EMPTY, value).gauge();
    }

    /** Returns a counter with a single sample without labels. */
    static MetricSnapshot counter(String name, String help, double value) {
        return new MetricFamily(name, help).add(Labels.EMPTY, value).counter();
    }

    /**
     * Returns a counter with a sample for each key, so that a rate includes the first increment.
     */
    static <K> MetricSnapshot counter(
            String name, String help, K[] keys, Function<K, Labels> labels, Map<K, Long> counts) {
        return of(name, help, List.of(keys), labels, key -> counts.getOrDefault(key, 0L)).counter();
    }

    /** Returns a metric with a sample for each item. */
    static <T> MetricFamily of(
            String name,
            String help,
            List<T> items,
            Function<T, Labels> labels,
            ToDoubleFunction<T> value) {
        MetricFamily family = new MetricFamily(name, help);
        items.forEach(item -> family.add(labels.apply(item), value.applyAsDouble(item)));
        return family;
    }

    /**
     * Returns a histogram without labels.
     *
     * @param bounds upper bounds of the buckets
     * @param counts one count for each bound, and one more for larger values; not cumulative
     */
    static MetricSnapshot histogram(
            String name, String help, double[] bounds, long[] counts, double sum) {
        double[] all = Arrays.copyOf(bounds, counts.length);
        all[bounds.length] = Double.POSITIVE_INFINITY;
        return HistogramSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(
                        HistogramSnapshot.HistogramDataPointSnapshot.builder()
                                .classicHistogramBuckets(ClassicHistogramBuckets.of(all, counts))
                                .sum(sum)
                                .build())
                .build();
    }

    MetricFamily add(Labels labels, double value) {
        samples.add(new Sample(labels, value));
        return this;
    }

    MetricSnapshot gauge() {
        return new GaugeSnapshot(
                metadata,
                samples.stream()
                        .map(
                                sample ->
                                        new GaugeSnapshot.GaugeDataPointSnapshot(
                                                sample.value(), sample.labels(), null))
                        .toList());
    }

    /** Returns the samples as a counter, whose name ends in {@code _total}. */
    MetricSnapshot counter() {
        return new CounterSnapshot(
                metadata,
                samples.stream()
                        .map(
                                sample ->
                                        CounterSnapshot.CounterDataPointSnapshot.builder()
                                                .value(sample.value())
                                                .labels(sample.labels())
                                                .build())
                        .toList());
    }

    /**
     * Returns the samples as an info metric: the name ends in {@code _info}, and each value is 1.
     */
    MetricSnapshot info() {
        return new InfoSnapshot(
                metadata,
                samples.stream()
                        .map(sample -> new InfoSnapshot.InfoDataPointSnapshot(sample.labels()))
                        .toList());
    }
}
