package dev.varve.platform.prefix;

import java.util.EnumMap;
import java.util.Map;

/** Counts lookups and copies. */
final class CacheCounts {
    private final Map<CacheSource, Long> hits = new EnumMap<>(CacheSource.class);
    private final Map<CacheSource, Long> savedTokens = new EnumMap<>(CacheSource.class);
    private final Map<MissReason, Long> misses = new EnumMap<>(MissReason.class);
    private final double[] bounds = PrefixCacheStatus.TransferStats.bounds();
    private final long[] restores = new long[bounds.length + 1];
    private double restoreSeconds;

    void count(PrefixLookupResult use) {
        use.miss().ifPresent(reason -> misses.merge(reason, 1L, Long::sum));
        use.source()
                .ifPresent(
                        source -> {
                            hits.merge(source, 1L, Long::sum);
                            savedTokens.merge(source, (long) use.tokens(), Long::sum);
                            if (source != CacheSource.DEVICE) {
                                countRestore(use.restored().millis() / 1000);
                            }
                        });
    }

    private void countRestore(double seconds) {
        int index = 0;
        while (index < bounds.length && seconds > bounds[index]) {
            index++;
        }
        restores[index]++;
        restoreSeconds += seconds;
    }

    PrefixCacheStatus status() {
        return status(PrefixCacheStatus.NONE.host(), 0, new long[2]);
    }

    PrefixCacheStatus status(HostTier host) {
        HostPrefixTree tree = host.tree();
        return status(
                new PrefixCacheStatus.HostTierStatus(
                        host.limit(), host.used(), tree.checkpoints().size(), tree.keptTokens()),
                tree.evictions(),
                new long[] {host.exporter().bytes(), host.restoredBytes()});
    }

    private PrefixCacheStatus status(
            PrefixCacheStatus.HostTierStatus tier, long evictions, long[] movedBytes) {
        return new PrefixCacheStatus(
                tier,
                new PrefixCacheStatus.Counts(
                        hits,
                        savedTokens,
                        misses,
                        evictions,
                        new PrefixCacheStatus.TransferStats(
                                movedBytes[0], movedBytes[1], restores, restoreSeconds)));
    }
}
