package dev.varve.platform.http.metrics;

import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.ArchiveStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.Map;

/** Metrics of the prefix cache on disk. */
final class StoreMetrics {
    private StoreMetrics() {}

    static List<MetricSnapshot> of(ArchiveStatus disk) {
        return List.of(
                MetricFamily.single(
                                "varve_prefix_disk_budget_bytes",
                                "Most bytes on disk for computed prompts.",
                                disk.budgetBytes())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_disk_used_bytes",
                                "Bytes on disk that computed prompts of this model take.",
                                disk.usedBytes())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_disk_entries",
                                "Positions that can be restored from disk.",
                                disk.checkpoints())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_disk_objects",
                                "Blocks of tokens and positions on disk.",
                                disk.objects())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_disk_writable",
                                "1 while computed prompts are written to disk.",
                                disk.state() == ArchiveStatus.State.OPEN ? 1 : 0)
                        .gauge(),
                states(disk.state()),
                MetricFamily.single(
                                "varve_prefix_disk_evictions",
                                "Blocks and positions on disk that gave way to others.",
                                disk.traffic().evictions())
                        .counter(),
                MetricFamily.single(
                                "varve_prefix_disk_written_bytes",
                                "Bytes of computed prompts written to disk.",
                                disk.traffic().writtenBytes())
                        .counter(),
                MetricFamily.single(
                                "varve_prefix_disk_read_bytes",
                                "Bytes of computed prompts read from disk.",
                                disk.traffic().readBytes())
                        .counter(),
                misses(disk.traffic().misses()));
    }

    /** Returns the state of the disk tier. Read-only use is normal, a full disk is an error. */
    private static MetricSnapshot states(ArchiveStatus.State now) {
        MetricFamily family =
                new MetricFamily(
                        "varve_prefix_disk_state",
                        "1 for how the disk is used: written to, only read, or not written to"
                                + " since it is full or fails.");
        for (ArchiveStatus.State state : ArchiveStatus.State.values()) {
            family.add(Labels.of("state", state.word()), state == now ? 1 : 0);
        }
        return family.gauge();
    }

    private static MetricSnapshot misses(Map<Reason, Long> values) {
        MetricFamily family =
                new MetricFamily(
                        "varve_prefix_disk_misses",
                        "Blocks and positions that were on disk and could not be used, by reason.");
        for (Reason reason : Reason.values()) {
            family.add(Labels.of("reason", reason.word()), values.getOrDefault(reason, 0L));
        }
        return family.counter();
    }
}
