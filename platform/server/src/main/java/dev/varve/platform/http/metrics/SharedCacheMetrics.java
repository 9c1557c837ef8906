package dev.varve.platform.http.metrics;

import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.SharedArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus.Outcome;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.Map;

/** Metrics of the shared store of prefixes. */
final class SharedCacheMetrics {
    private SharedCacheMetrics() {}

    static List<MetricSnapshot> of(SharedArchiveStatus shared) {
        return List.of(
                MetricFamily.single(
                                "varve_prefix_shared_up",
                                "1 while the shared store of computed prompts is asked.",
                                shared.answers() ? 1 : 0)
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_shared_writable",
                                "1 while computed prompts are written to the shared store.",
                                shared.writes() ? 1 : 0)
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_shared_written_bytes",
                                "Bytes of computed prompts written to the shared store.",
                                shared.writtenBytes())
                        .counter(),
                MetricFamily.single(
                                "varve_prefix_shared_read_bytes",
                                "Bytes of computed prompts read from the shared store.",
                                shared.readBytes())
                        .counter(),
                searches(shared.searches()),
                misses(shared.misses()));
    }

    private static MetricSnapshot searches(Map<Outcome, Long> values) {
        MetricFamily family =
                new MetricFamily(
                        "varve_prefix_shared_searches",
                        "Requests that could profit from the shared store, by what came of it.");
        for (Outcome outcome : Outcome.values()) {
            family.add(Labels.of("outcome", outcome.word()), values.getOrDefault(outcome, 0L));
        }
        return family.counter();
    }

    private static MetricSnapshot misses(Map<Reason, Long> values) {
        MetricFamily family =
                new MetricFamily(
                        "varve_prefix_shared_misses",
                        "Blocks and positions that were in the shared store and could not be used,"
                                + " by reason.");
        for (Reason reason : Reason.values()) {
            family.add(Labels.of("reason", reason.word()), values.getOrDefault(reason, 0L));
        }
        return family.counter();
    }
}
