package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.SharedArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of the shared store of prefixes. */
final class SharedCacheMetrics {
    private SharedCacheMetrics() {}

    static List<MetricSnapshot> of(SharedArchiveStatus shared) {
        return List.of(
                gauge(
                        "varve_prefix_shared_up",
                        "1 while requests use the shared store of cached prefixes.",
                        shared.available() ? 1 : 0),
                gauge(
                        "varve_prefix_shared_writable",
                        "1 while cached prefixes are written to the shared store.",
                        shared.writes() ? 1 : 0),
                counter(
                        "varve_prefix_shared_written_bytes",
                        "Bytes of cached prefixes written to the shared store.",
                        shared.writtenBytes()),
                counter(
                        "varve_prefix_shared_read_bytes",
                        "Bytes of cached prefixes read from the shared store.",
                        shared.readBytes()),
                counter(
                        "varve_prefix_shared_searches",
                        "Requests that could use the shared store, by outcome.",
                        SearchOutcome.values(),
                        outcome -> Labels.of("outcome", outcome.word()),
                        shared.searches()),
                counter(
                        "varve_prefix_shared_misses",
                        "Blocks and positions that were found in the shared store but could not be"
                                + " used, by reason.",
                        Reason.values(),
                        reason -> Labels.of("reason", reason.word()),
                        shared.misses()));
    }
}
