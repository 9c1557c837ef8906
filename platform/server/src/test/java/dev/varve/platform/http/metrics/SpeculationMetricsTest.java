package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

class SpeculationMetricsTest {
    private static List<String> samples(SpeculationCounts counts) {
        EncodedMetrics exposition =
                EncodedMetrics.of(SpeculationMetrics.of(counts), Optional.empty());
        return MetricsText.parse(new String(exposition.bytes(), StandardCharsets.UTF_8)).lines();
    }

    @Test
    void withoutASpeculatorThereIsNoMetric() {
        assertEquals(List.of(), SpeculationMetrics.of(SpeculationCounts.NONE));
    }

    /** Five checks: one of one draft token, three of two, and one of three. */
    @Test
    void verificationsAreCountedByResultAndDraftLength() {
        SpeculationCounts counts =
                new SpeculationCounts(10, 5, List.of(2L, 2L, 0L, 1L), List.of(0L, 1L, 3L, 1L));

        assertEquals(
                List.of(
                        "varve_spec_acceptance_length_bucket{le=\"+Inf\"} 5",
                        "varve_spec_acceptance_length_bucket{le=\"1.0\"} 2",
                        "varve_spec_acceptance_length_bucket{le=\"2.0\"} 4",
                        "varve_spec_acceptance_length_bucket{le=\"3.0\"} 4",
                        "varve_spec_acceptance_length_bucket{le=\"4.0\"} 5",
                        "varve_spec_acceptance_length_count 5",
                        "varve_spec_acceptance_length_sum 10",
                        "varve_spec_accepted_tokens_total 5",
                        "varve_spec_draft_tokens_total 10",
                        "varve_spec_draft_width_bucket{le=\"+Inf\"} 5",
                        "varve_spec_draft_width_bucket{le=\"0.0\"} 0",
                        "varve_spec_draft_width_bucket{le=\"1.0\"} 1",
                        "varve_spec_draft_width_bucket{le=\"2.0\"} 4",
                        "varve_spec_draft_width_bucket{le=\"3.0\"} 5",
                        "varve_spec_draft_width_count 5",
                        "varve_spec_draft_width_sum 10",
                        "varve_spec_steps_total 5"),
                samples(counts));
    }

    @Test
    void countersStartAtZero() {
        List<String> samples =
                samples(new SpeculationCounts(0, 0, List.of(0L, 0L), List.of(0L, 0L)));

        assertEquals(List.of(), samples.stream().filter(line -> !line.matches(".* 0")).toList());
        assertEquals(13, samples.size(), samples.toString());
    }
}
