package dev.varve.platform.prefix;

import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Contents and statistics of the prefix cache.
 *
 * @param host host memory at this moment
 * @param counts lookups and copies since the start
 * @param disk the disk tier; empty if there is none
 * @param shared the store shared with other servers; empty if there is none
 * @param handOff hand-off to prefill peers; empty if there are none
 */
public record PrefixCacheStatus(
        HostTierStatus host,
        Counts counts,
        Optional<ArchiveStatus> disk,
        Optional<SharedArchiveStatus> shared,
        Optional<HandOffStatus> handOff) {
    /** Checks that no component is null. */
    public PrefixCacheStatus {
        Objects.requireNonNull(shared);
        Objects.requireNonNull(disk);
        Objects.requireNonNull(handOff);
    }

    /** Creates a status without a shared store. */
    public PrefixCacheStatus(HostTierStatus host, Counts counts, Optional<ArchiveStatus> disk) {
        this(host, counts, disk, Optional.empty(), Optional.empty());
    }

    /** Creates a status without a disk and without a shared store. */
    public PrefixCacheStatus(HostTierStatus host, Counts counts) {
        this(host, counts, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Returns a copy with the given status of the stores. */
    public PrefixCacheStatus with(
            Optional<ArchiveStatus> onDisk,
            Optional<SharedArchiveStatus> withOthers,
            Optional<HandOffStatus> withPeers) {
        return new PrefixCacheStatus(host, counts, onDisk, withOthers, withPeers);
    }

    /** Status of an empty cache without lookups. */
    public static final PrefixCacheStatus NONE =
            new PrefixCacheStatus(new HostTierStatus(0, 0, 0, 0), Counts.NONE);

    /**
     * Contents of host memory.
     *
     * @param limitBytes maximum number of bytes; 0 if host memory is not used
     * @param usedBytes bytes in use, including hidden states for a draft model
     * @param entries positions that can be restored
     * @param keptTokens tokens whose rows are kept, each copy counted
     */
    public record HostTierStatus(long limitBytes, long usedBytes, int entries, long keptTokens) {}

    /**
     * Lookups and copies.
     *
     * @param hits requests by the source of their cached prefix
     * @param savedTokens cached tokens by source
     * @param misses requests by the reason of the miss
     * @param evictions evicted checkpoints
     * @param moved bytes and times of copies
     */
    public record Counts(
            Map<CacheSource, Long> hits,
            Map<CacheSource, Long> savedTokens,
            Map<MissReason, Long> misses,
            long evictions,
            TransferStats moved) {
        static final Counts NONE =
                new Counts(
                        new EnumMap<>(CacheSource.class),
                        new EnumMap<>(CacheSource.class),
                        new EnumMap<>(MissReason.class),
                        0,
                        TransferStats.NOTHING);

        /** Copies the maps; a missing key counts 0. */
        public Counts {
            hits = Map.copyOf(hits);
            savedTokens = Map.copyOf(savedTokens);
            misses = Map.copyOf(misses);
        }
    }

    /**
     * Copies between the devices and host memory.
     *
     * @param exportedBytes bytes copied from the devices
     * @param restoredBytes bytes copied to the devices
     * @param restores histogram of restore times: one count for each of {@link #RESTORE_BOUNDS},
     *     and one more for longer restores; not cumulative
     * @param restoreSeconds total time of all restores
     */
    public record TransferStats(
            long exportedBytes, long restoredBytes, long[] restores, double restoreSeconds) {
        /** Upper bounds of the histogram buckets, in seconds. */
        private static final double[] RESTORE_BOUNDS = {
            0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5
        };

        static final TransferStats NOTHING =
                new TransferStats(0, 0, new long[RESTORE_BOUNDS.length + 1], 0);

        /** Copies the histogram. */
        public TransferStats {
            restores = restores.clone();
        }

        /** Upper bounds of the histogram buckets, in seconds, ascending. */
        public static double[] bounds() {
            return RESTORE_BOUNDS.clone();
        }

        @Override
        public long[] restores() {
            return restores.clone();
        }

        /** Number of restores. */
        public long restoreCount() {
            return Arrays.stream(restores).sum();
        }
    }
}
