package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.InstrumentFactory.counter;

import dev.varve.platform.compression.CompressionReport;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.stream.Stream;

/** Metrics of prompt compression, by model. Thread-safe. */
final class CompressionMetrics {
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final String MODEL = "model";

    private final Counter prompts =
            counter("varve_pflash_prompts_total", "Compressed prompts.", "mode", MODEL);
    private final Counter failures =
            counter(
                    "varve_pflash_failures_total",
                    "Prompts whose compression failed and which were computed whole.",
                    MODEL);
    private final Counter promptTokens =
            counter(
                    "varve_pflash_input_tokens_total",
                    "Tokens of compressed prompts before compression.",
                    MODEL);
    private final Counter effectiveTokens =
            counter(
                    "varve_pflash_kept_tokens_total",
                    "Tokens of compressed prompts after compression.",
                    MODEL);
    private final Counter cachedMessages =
            counter(
                    "varve_pflash_cached_messages_total",
                    "Messages that an earlier turn had compressed.",
                    MODEL);
    private final Counter seconds =
            counter("varve_pflash_seconds_total", "Total time of compression.", MODEL);
    private final Histogram scores =
            InstrumentFactory.histogram(
                    "varve_pflash_score_time_seconds",
                    "Time that the prefill drafter took to read a prompt.",
                    HistogramBuckets.waits(),
                    MODEL);

    /** Emits series for a model from now on, starting at 0. */
    void expose(String model) {
        for (Counter each :
                List.of(failures, promptTokens, effectiveTokens, cachedMessages, seconds)) {
            each.initLabelValues(model);
        }
        scores.initLabelValues(model);
    }

    void count(CompressionReport report, String model) {
        prompts.labelValues(report.mode().word(), model).inc();
        promptTokens.labelValues(model).inc(report.promptTokens());
        effectiveTokens.labelValues(model).inc(report.effectiveTokens());
        cachedMessages.labelValues(model).inc(report.cachedMessages());
        seconds.labelValues(model).inc(report.times().millis() / MILLIS_PER_SECOND);
        if (report.times().scoreMillis() > 0) {
            scores.labelValues(model).observe(report.times().scoreMillis() / MILLIS_PER_SECOND);
        }
    }

    void countFailure(String model) {
        failures.labelValues(model).inc();
    }

    List<MetricSnapshot> collect() {
        return InstrumentFactory.collect(
                Stream.of(
                        prompts,
                        failures,
                        promptTokens,
                        effectiveTokens,
                        cachedMessages,
                        seconds,
                        scores));
    }
}
