package dev.varve.platform.http.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;

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

    /** Returns a metric with a single sample without labels. */
    static MetricFamily single(String name, String help, double value) {
        return new MetricFamily(name, help).add(Labels.EMPTY, value);
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
