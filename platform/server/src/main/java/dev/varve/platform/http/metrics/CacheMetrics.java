package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
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
                counter(
                        "varve_prefix_cache_queries",
                        "Requests that were looked up.",
                        sum(counts.hits()) + sum(counts.misses())),
                bySource(
                        "varve_prefix_cache_hits",
                        "Requests whose prompt began like a computed one, by where that was.",
                        counts.hits()),
                bySource(
                        "varve_prefix_cache_saved_tokens",
                        "Prompt tokens that needed no computing, by where they were.",
                        counts.savedTokens()),
                counter(
                        "varve_prefix_cache_misses",
                        "Requests for which nothing computed was found, by the reason.",
                        MissReason.values(),
                        reason -> Labels.of("reason", reason.word()),
                        counts.misses()),
                counter(
                        "varve_prefix_cache_evictions",
                        "Positions in host memory that gave way to others.",
                        counts.evictions()),
                gauge(
                        "varve_prefix_cache_limit_bytes",
                        "Most bytes of host memory for computed prompts.",
                        host.limitBytes()),
                gauge(
                        "varve_prefix_cache_used_bytes",
                        "Bytes of host memory that computed prompts take.",
                        host.usedBytes()),
                gauge(
                        "varve_prefix_cache_entries",
                        "Positions that host memory can restore.",
                        host.entries()),
                gauge(
                        "varve_prefix_cache_block_tokens",
                        "Tokens whose rows are in host memory.",
                        host.blockTokens()),
                counter(
                        "varve_prefix_cache_exported_bytes",
                        "Bytes copied from the devices to host memory.",
                        counts.moved().exportedBytes()),
                counter(
                        "varve_prefix_cache_restored_bytes",
                        "Bytes copied from host memory to the devices.",
                        counts.moved().restoredBytes()),
                MetricFamily.histogram(
                        "varve_prefix_cache_restore_seconds",
                        "Time to copy a computed prompt from host memory to the devices.",
                        PrefixCacheStatus.Moved.bounds(),
                        counts.moved().restores(),
                        counts.moved().restoreSeconds()));
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private static MetricSnapshot bySource(
            String name, String help, Map<CacheSource, Long> values) {
        return counter(
                name,
                help,
                CacheSource.values(),
                source -> Labels.of("source", source.word()),
                values);
    }
}
