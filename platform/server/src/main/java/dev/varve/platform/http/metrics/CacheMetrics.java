package dev.varve.platform.http.metrics;

import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Metrics of the prefix cache: its contents, hits and misses. */
final class CacheMetrics {
    private CacheMetrics() {}

    static List<MetricSnapshot> of(PrefixCacheStatus cache) {
        List<MetricSnapshot> all = new ArrayList<>(host(cache));
        cache.disk().ifPresent(disk -> all.addAll(StoreMetrics.of(disk)));
        cache.shared().ifPresent(shared -> all.addAll(SharedCacheMetrics.of(shared)));
        return all;
    }

    private static List<MetricSnapshot> host(PrefixCacheStatus cache) {
        PrefixCacheStatus.Tier host = cache.host();
        PrefixCacheStatus.Counts counts = cache.counts();
        return List.of(
                MetricFamily.single(
                                "varve_prefix_cache_queries",
                                "Requests that were looked up.",
                                sum(counts.hits()) + sum(counts.misses()))
                        .counter(),
                bySource(
                        "varve_prefix_cache_hits",
                        "Requests whose prompt began like a computed one, by where that was.",
                        counts.hits()),
                bySource(
                        "varve_prefix_cache_saved_tokens",
                        "Prompt tokens that needed no computing, by where they were.",
                        counts.savedTokens()),
                byReason(counts.misses()),
                MetricFamily.single(
                                "varve_prefix_cache_evictions",
                                "Positions in host memory that gave way to others.",
                                counts.evictions())
                        .counter(),
                MetricFamily.single(
                                "varve_prefix_cache_limit_bytes",
                                "Most bytes of host memory for computed prompts.",
                                host.limitBytes())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_cache_used_bytes",
                                "Bytes of host memory that computed prompts take.",
                                host.usedBytes())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_cache_entries",
                                "Positions that host memory can restore.",
                                host.entries())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_cache_block_tokens",
                                "Tokens whose rows are in host memory.",
                                host.blockTokens())
                        .gauge(),
                MetricFamily.single(
                                "varve_prefix_cache_exported_bytes",
                                "Bytes copied from the devices to host memory.",
                                counts.moved().exportedBytes())
                        .counter(),
                MetricFamily.single(
                                "varve_prefix_cache_restored_bytes",
                                "Bytes copied from host memory to the devices.",
                                counts.moved().restoredBytes())
                        .counter(),
                restores(counts.moved()));
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Emits every source from the start, so that a rate includes the first increment. */
    private static MetricSnapshot bySource(
            String name, String help, Map<CacheSource, Long> values) {
        MetricFamily family = new MetricFamily(name, help);
        for (CacheSource source : CacheSource.values()) {
            family.add(Labels.of("source", source.word()), values.getOrDefault(source, 0L));
        }
        return family.counter();
    }

    private static MetricSnapshot byReason(Map<MissReason, Long> values) {
        MetricFamily family =
                new MetricFamily(
                        "varve_prefix_cache_misses",
                        "Requests for which nothing computed was found, by the reason.");
        for (MissReason reason : MissReason.values()) {
            family.add(Labels.of("reason", reason.word()), values.getOrDefault(reason, 0L));
        }
        return family.counter();
    }

    private static MetricSnapshot restores(PrefixCacheStatus.Moved moved) {
        double[] bounds = PrefixCacheStatus.Moved.bounds();
        double[] all = Arrays.copyOf(bounds, bounds.length + 1);
        all[bounds.length] = Double.POSITIVE_INFINITY;
        return HistogramSnapshot.builder()
                .name("varve_prefix_cache_restore_seconds")
                .help("Time to copy a computed prompt from host memory to the devices.")
                .dataPoint(
                        HistogramSnapshot.HistogramDataPointSnapshot.builder()
                                .classicHistogramBuckets(
                                        ClassicHistogramBuckets.of(all, moved.restores()))
                                .sum(moved.restoreSeconds())
                                .build())
                .build();
    }
}
