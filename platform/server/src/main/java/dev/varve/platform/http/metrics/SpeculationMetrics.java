package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.SpeculationCounts;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of speculative decoding. */
final class SpeculationMetrics {
    private SpeculationMetrics() {}

    static List<MetricSnapshot> of(SpeculationCounts counts) {
        if (counts.widths().isEmpty()) {
            return List.of();
        }
        return List.of(
                counter(
                        "varve_spec_draft_tokens",
                        "Guessed tokens that were checked.",
                        counts.drafted()),
                counter(
                        "varve_spec_accepted_tokens",
                        "Guessed tokens that were right.",
                        counts.accepted()),
                counter(
                        "varve_spec_steps",
                        "Checks of a sequence's guesses in a step.",
                        counts.verifySteps()),
                histogram(
                        "varve_spec_acceptance_length",
                        "Tokens that a check gave: the right guesses, and the one behind them.",
                        counts.accepts(),
                        1),
                histogram(
                        "varve_spec_draft_width",
                        "Guesses of a sequence in a step that checked some.",
                        counts.widths(),
                        0));
    }

    private static MetricSnapshot counter(String name, String help, double value) {
        return MetricFamily.single(name, help, value).counter();
    }

    /**
     * @param counts counts by value, from 0 on
     * @param offset number that is added to each value
     */
    private static MetricSnapshot histogram(
            String name, String help, List<Long> counts, int offset) {
        double[] bounds = new double[counts.size() + 1];
        long[] each = new long[counts.size() + 1];
        double sum = 0;
        for (int i = 0; i < counts.size(); i++) {
            bounds[i] = i + offset;
            each[i] = counts.get(i);
            sum += counts.get(i) * bounds[i];
        }
        bounds[counts.size()] = Double.POSITIVE_INFINITY;
        return HistogramSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(
                        HistogramSnapshot.HistogramDataPointSnapshot.builder()
                                .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, each))
                                .sum(sum)
                                .build())
                .build();
    }
}
