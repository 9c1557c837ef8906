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
        cache.handOff().ifPresent(peers -> all.addAll(HandOffMetrics.of(peers)));
        return all;
    }

    private static List<MetricSnapshot> host(PrefixCacheStatus cache) {
        PrefixCacheStatus.HostTierStatus host = cache.host();
        PrefixCacheStatus.Counts counts = cache.counts();
        return List.of(
                counter(
                        "varve_prefix_cache_queries",
                        "Prefix lookups.",
                        sum(counts.hits()) + sum(counts.misses())),
                bySource(
                        "varve_prefix_cache_hits",
                        "Requests with a cached prefix, by its source.",
                        counts.hits()),
                bySource(
                        "varve_prefix_cache_saved_tokens",
                        "Cached tokens of requests, by their source.",
                        counts.savedTokens()),
                counter(
                        "varve_prefix_cache_misses",
                        "Requests without a cached prefix, by reason.",
                        MissReason.values(),
                        reason -> Labels.of("reason", reason.word()),
                        counts.misses()),
                counter(
                        "varve_prefix_cache_evictions",
                        "Positions that were evicted from host memory.",
                        counts.evictions()),
                gauge(
                        "varve_prefix_cache_limit_bytes",
                        "Maximum bytes of host memory for cached prefixes.",
                        host.limitBytes()),
                gauge(
                        "varve_prefix_cache_used_bytes",
                        "Bytes of host memory that cached prefixes use.",
                        host.usedBytes()),
                gauge(
                        "varve_prefix_cache_entries",
                        "Positions that can be restored from host memory.",
                        host.entries()),
                gauge(
                        "varve_prefix_cache_block_tokens",
                        "Tokens whose rows are in host memory.",
                        host.keptTokens()),
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
                        "Time to copy a cached prefix from host memory to the devices.",
                        PrefixCacheStatus.TransferStats.bounds(),
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
