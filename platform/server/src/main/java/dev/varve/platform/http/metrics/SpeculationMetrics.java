package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;

import dev.varve.platform.engine.SpeculationCounts;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.stream.IntStream;

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

    /**
     * @param counts counts by value, from 0 on
     * @param offset number that is added to each value
     */
    private static MetricSnapshot histogram(
            String name, String help, List<Long> counts, int offset) {
        double[] bounds = IntStream.range(0, counts.size()).mapToDouble(i -> i + offset).toArray();
        long[] each = new long[counts.size() + 1];
        double sum = 0;
        for (int i = 0; i < counts.size(); i++) {
            each[i] = counts.get(i);
            sum += each[i] * bounds[i];
        }
        return MetricFamily.histogram(name, help, bounds, each, sum);
    }
}
