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
                counter("varve_spec_draft_tokens", "Verified draft tokens.", counts.drafted()),
                counter("varve_spec_accepted_tokens", "Accepted draft tokens.", counts.accepted()),
                counter(
                        "varve_spec_steps",
                        "Verifications of a sequence's draft tokens.",
                        counts.verifySteps()),
                histogram(
                        "varve_spec_acceptance_length",
                        "Tokens per verification: the accepted draft tokens and the next token.",
                        counts.accepts(),
                        1),
                histogram(
                        "varve_spec_draft_width",
                        "Draft tokens per verification.",
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
