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
                        "Most bytes on disk for computed prompts.",
                        disk.budgetBytes()),
                gauge(
                        "varve_prefix_disk_used_bytes",
                        "Bytes on disk that computed prompts of this model take.",
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
                        "1 while computed prompts are written to disk.",
                        disk.state() == ArchiveStatus.State.OPEN ? 1 : 0),
                MetricFamily.of(
                                "varve_prefix_disk_state",
                                "1 for how the disk is used: written to, only read, or not written"
                                        + " to since it is full or fails.",
                                List.of(ArchiveStatus.State.values()),
                                state -> Labels.of("state", state.word()),
                                state -> state == disk.state() ? 1 : 0)
                        .gauge(),
                counter(
                        "varve_prefix_disk_evictions",
                        "Blocks and positions on disk that gave way to others.",
                        disk.traffic().evictions()),
                counter(
                        "varve_prefix_disk_written_bytes",
                        "Bytes of computed prompts written to disk.",
                        disk.traffic().writtenBytes()),
                counter(
                        "varve_prefix_disk_read_bytes",
                        "Bytes of computed prompts read from disk.",
                        disk.traffic().readBytes()),
                counter(
                        "varve_prefix_disk_misses",
                        "Blocks and positions that were on disk and could not be used, by reason.",
                        Reason.values(),
                        reason -> Labels.of("reason", reason.word()),
                        disk.traffic().misses()));
    }
}
