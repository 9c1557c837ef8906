package dev.varve.platform.http.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;

/** The samples of one metric from several engines, each labelled with its engine's owner. */
final class MergedMetric {
    private final MetricMetadata metadata;
    private final List<GaugeSnapshot.GaugeDataPointSnapshot> gauges = new ArrayList<>();
    private final List<CounterSnapshot.CounterDataPointSnapshot> counters = new ArrayList<>();
    private final List<InfoSnapshot.InfoDataPointSnapshot> infos = new ArrayList<>();
    private final List<HistogramSnapshot.HistogramDataPointSnapshot> histograms = new ArrayList<>();

    MergedMetric(MetricMetadata metadata) {
        this.metadata = metadata;
    }

    /** Adds the samples of one engine with the label {@code owner}. */
    void add(MetricSnapshot metric, Labels owner) {
        switch (metric) {
            case GaugeSnapshot gauge ->
                    gauge.getDataPoints().forEach(point -> gauges.add(of(point, owner)));
            case CounterSnapshot counter ->
                    counter.getDataPoints().forEach(point -> counters.add(of(point, owner)));
            case InfoSnapshot info ->
                    info.getDataPoints()
                            .forEach(
                                    point ->
                                            infos.add(
                                                    new InfoSnapshot.InfoDataPointSnapshot(
                                                            point.getLabels().merge(owner))));
            case HistogramSnapshot histogram ->
                    histogram.getDataPoints().forEach(point -> histograms.add(of(point, owner)));
            default ->
                    throw new AssertionError(
                            "expected a gauge, counter, info or histogram, found " + metric);
        }
    }

    private static GaugeSnapshot.GaugeDataPointSnapshot of(
            GaugeSnapshot.GaugeDataPointSnapshot point, Labels owner) {
        return new GaugeSnapshot.GaugeDataPointSnapshot(
                point.getValue(), point.getLabels().merge(owner), null);
    }

    private static CounterSnapshot.CounterDataPointSnapshot of(
            CounterSnapshot.CounterDataPointSnapshot point, Labels owner) {
        return CounterSnapshot.CounterDataPointSnapshot.builder()
                .value(point.getValue())
                .labels(point.getLabels().merge(owner))
                .build();
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot of(
            HistogramSnapshot.HistogramDataPointSnapshot point, Labels owner) {
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(point.getClassicBuckets())
                .sum(point.getSum())
                .labels(point.getLabels().merge(owner))
                .build();
    }

    /** Returns all samples as one metric. */
    MetricSnapshot snapshot() {
        if (!gauges.isEmpty()) {
            return new GaugeSnapshot(metadata, gauges);
        }
        if (!counters.isEmpty()) {
            return new CounterSnapshot(metadata, counters);
        }
        return histograms.isEmpty()
                ? new InfoSnapshot(metadata, infos)
                : new HistogramSnapshot(metadata, histograms);
    }
}
