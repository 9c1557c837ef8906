package dev.varve.platform.http.metrics;

import dev.varve.platform.compression.CompressionReport;

import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of prompt compression, by model. Thread-safe. */
final class CompressionMetrics {
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final String MODEL = "model";

    private final Counter prompts;
    private final Counter failures;
    private final Counter promptTokens;
    private final Counter effectiveTokens;
    private final Counter knownMessages;
    private final Counter seconds;
    private final Histogram scores;

    CompressionMetrics(PrometheusProperties settings) {
        prompts =
                Counter.builder(settings)
                        .name("varve_pflash_prompts_total")
                        .help("Prompts that became shorter before they were computed.")
                        .labelNames("mode", MODEL)
                        .withoutExemplars()
                        .build();
        failures =
                counter(
                        settings,
                        "varve_pflash_failures_total",
                        "Prompts that should have become shorter and were computed as they are.");
        promptTokens =
                counter(
                        settings,
                        "varve_pflash_input_tokens_total",
                        "Tokens of these prompts as clients meant them.");
        effectiveTokens =
                counter(
                        settings,
                        "varve_pflash_kept_tokens_total",
                        "Tokens of what became of them.");
        knownMessages =
                counter(
                        settings,
                        "varve_pflash_cached_messages_total",
                        "Messages that had become shorter in an earlier turn.");
        seconds =
                counter(
                        settings,
                        "varve_pflash_seconds_total",
                        "Time that making prompts shorter took.");
        scores =
                Histogram.builder(settings)
                        .name("varve_pflash_score_time_seconds")
                        .help("Time that a drafter took to read a prompt.")
                        .labelNames(MODEL)
                        .classicOnly()
                        .classicUpperBounds(HistogramBuckets.waits())
                        .withoutExemplars()
                        .build();
    }

    private static Counter counter(PrometheusProperties settings, String name, String help) {
        return Counter.builder(settings)
                .name(name)
                .help(help)
                .labelNames(MODEL)
                .withoutExemplars()
                .build();
    }

    /** Emits series for a model from now on, starting at 0. */
    void tell(String model) {
        for (Counter each :
                List.of(failures, promptTokens, effectiveTokens, knownMessages, seconds)) {
            each.initLabelValues(model);
        }
        scores.initLabelValues(model);
    }

    void count(CompressionReport report, String model) {
        prompts.labelValues(report.mode().word(), model).inc();
        promptTokens.labelValues(model).inc(report.promptTokens());
        effectiveTokens.labelValues(model).inc(report.effectiveTokens());
        knownMessages.labelValues(model).inc(report.cachedMessages());
        seconds.labelValues(model).inc(report.times().millis() / MILLIS_PER_SECOND);
        if (report.times().scoreMillis() > 0) {
            scores.labelValues(model).observe(report.times().scoreMillis() / MILLIS_PER_SECOND);
        }
    }

    void countFailure(String model) {
        failures.labelValues(model).inc();
    }

    List<MetricSnapshot> collect() {
        return List.of(
                prompts.collect(),
                failures.collect(),
                promptTokens.collect(),
                effectiveTokens.collect(),
                knownMessages.collect(),
                seconds.collect(),
                scores.collect());
    }
}
