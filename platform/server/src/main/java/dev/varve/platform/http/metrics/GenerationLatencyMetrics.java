package dev.varve.platform.http.metrics;

import dev.varve.platform.http.metrics.GenerationLatencyRecorder.Interval;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder.Stage;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Times of generations and counts of cancelled ones, by model. Thread-safe. Observing a time takes
 * a lock only while the same histogram is copied, which is short, so the engine's thread may
 * observe each token.
 */
final class GenerationLatencyMetrics {
    private static final String MODEL = "model";

    private final Map<Interval, Histogram> times = new EnumMap<>(Interval.class);
    private final Counter cancelled =
            InstrumentFactory.counter(
                    "varve_cancelled_total",
                    "Responses that were cancelled without a waiting client, by stage.",
                    "stage",
                    MODEL);
    private final Map<String, GenerationLatencyRecorder> models = new ConcurrentHashMap<>();

    GenerationLatencyMetrics() {
        for (Interval each : Interval.values()) {
            times.put(
                    each, InstrumentFactory.histogram(each.metric, each.help, each.bounds, MODEL));
        }
    }

    /**
     * Returns the times of a model. {@code id} must be the id of a model of the server, so that the
     * number of labels is bounded.
     */
    GenerationLatencyRecorder of(String id) {
        return models.computeIfAbsent(id, this::create);
    }

    private GenerationLatencyRecorder create(String model) {
        Map<Interval, DistributionDataPoint> histograms = new EnumMap<>(Interval.class);
        times.forEach((interval, each) -> histograms.put(interval, each.labelValues(model)));
        Map<Stage, CounterDataPoint> counters = new EnumMap<>(Stage.class);
        for (Stage stage : Stage.values()) {
            counters.put(stage, cancelled.labelValues(stage.word(), model));
        }
        return new GenerationLatencyRecorder(histograms, counters);
    }

    List<MetricSnapshot> collect() {
        return InstrumentFactory.collect(
                Stream.concat(times.values().stream(), Stream.of(cancelled)));
    }
}
