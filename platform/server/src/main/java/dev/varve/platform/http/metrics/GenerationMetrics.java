package dev.varve.platform.http.metrics;

import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Times of generations and counts of cancelled ones, by model. Thread-safe. Observing a time takes
 * a lock only while the same histogram is copied, which is short, so the engine's thread may
 * observe each token.
 */
final class GenerationMetrics {
    private static final String MODEL = "model";

    private final PrometheusProperties settings;
    private final Histogram firstToken;
    private final Histogram tokenGap;
    private final Histogram queue;
    private final Histogram prefill;
    private final Histogram decode;
    private final Histogram whole;
    private final Counter cancelled;
    private final Map<String, GenerationTimes> models = new ConcurrentHashMap<>();

    GenerationMetrics(PrometheusProperties settings) {
        this.settings = settings;
        firstToken =
                times(
                        "varve_time_to_first_token_seconds",
                        "Time from the request to its first token.",
                        HistogramBuckets.waits());
        tokenGap =
                times(
                        "varve_inter_token_latency_seconds",
                        "Time between two tokens of a request.",
                        HistogramBuckets.tokens());
        queue =
                times(
                        "varve_queue_time_seconds",
                        "Time that a request waited for a place.",
                        HistogramBuckets.waits());
        prefill =
                times(
                        "varve_prefill_time_seconds",
                        "Time from the start of a prompt's computing to the first token.",
                        HistogramBuckets.waits());
        decode =
                times(
                        "varve_decode_time_seconds",
                        "Time from the first token of a request to its last one.",
                        HistogramBuckets.answers());
        whole =
                times(
                        "varve_e2e_request_latency_seconds",
                        "Time from the request to its last token.",
                        HistogramBuckets.answers());
        cancelled =
                Counter.builder(settings)
                        .name("varve_cancelled_total")
                        .help("Answers whose client left or cancelled, by how far they were.")
                        .labelNames("stage", MODEL)
                        .withoutExemplars()
                        .build();
    }

    private Histogram times(String name, String help, double[] bounds) {
        return Histogram.builder(settings)
                .name(name)
                .help(help)
                .labelNames(MODEL)
                .classicOnly()
                .classicUpperBounds(bounds)
                .withoutExemplars()
                .build();
    }

    /**
     * Returns the times of a model. {@code id} must be the id of a model of the server, so that the
     * number of labels is bounded.
     */
    GenerationTimes of(String id) {
        return models.computeIfAbsent(
                id,
                model ->
                        new GenerationTimes(
                                points(model),
                                Arrays.stream(GenerationTimes.Stage.values())
                                        .map(stage -> cancelled.labelValues(stage.word(), model))
                                        .toList()));
    }

    private GenerationTimes.Points points(String model) {
        return new GenerationTimes.Points(
                point(firstToken, model),
                point(tokenGap, model),
                point(queue, model),
                point(prefill, model),
                point(decode, model),
                point(whole, model));
    }

    private static DistributionDataPoint point(Histogram histogram, String model) {
        return histogram.labelValues(model);
    }

    List<MetricSnapshot> collect() {
        return List.of(
                firstToken.collect(),
                tokenGap.collect(),
                queue.collect(),
                prefill.collect(),
                decode.collect(),
                whole.collect(),
                cancelled.collect());
    }
}
