package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.ArchiveStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/**
 * Metrics of the prefix cache on disk. Its state distinguishes read-only use, which is normal, from
 * a full disk, which is an error.
 */
final class StoreMetrics {
    private StoreMetrics() {}

    static List<MetricSnapshot> of(ArchiveStatus disk) {
        return List.of(
                gauge(
                        "varve_prefix_disk_budget_bytes",
                        "Maximum bytes on disk for cached prefixes.",
                        disk.budgetBytes()),
                gauge(
                        "varve_prefix_disk_used_bytes",
                        "Bytes on disk that cached prefixes of this model use.",
                        disk.usedBytes()),
                gauge(
                        "varve_prefix_disk_entries",
                        "Positions that can be restored from disk.",
                        disk.checkpoints()),
                gauge(
                        "varve_prefix_disk_objects",
                        "Blocks of tokens and positions on disk.",
                        disk.objects()),
                gauge(
                        "varve_prefix_disk_writable",
                        "1 while cached prefixes are written to disk.",
                        disk.state() == ArchiveStatus.State.OPEN ? 1 : 0),
                MetricFamily.of(
                                "varve_prefix_disk_state",
                                "1 for the current state of the disk tier: open (read and written),"
                                        + " read_only, or paused (full or failing).",
                                List.of(ArchiveStatus.State.values()),
                                state -> Labels.of("state", state.word()),
                                state -> state == disk.state() ? 1 : 0)
                        .gauge(),
                counter(
                        "varve_prefix_disk_evictions",
                        "Blocks and positions that were evicted from disk.",
                        disk.traffic().evictions()),
                counter(
                        "varve_prefix_disk_written_bytes",
                        "Bytes of cached prefixes written to disk.",
                        disk.traffic().writtenBytes()),
                counter(
                        "varve_prefix_disk_read_bytes",
                        "Bytes of cached prefixes read from disk.",
                        disk.traffic().readBytes()),
                counter(
                        "varve_prefix_disk_misses",
                        "Blocks and positions that were found on disk but could not be used, by"
                                + " reason.",
                        Reason.values(),
                        reason -> Labels.of("reason", reason.word()),
                        disk.traffic().misses()));
    }
}
