package dev.varve.platform.prefix;

import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What the prefix cache holds, and what it was good for so far.
 *
 * @param host host memory at this moment
 * @param counts what was found and copied since the start
 * @param disk what lies behind host memory; empty if nothing does
 * @param shared what is shared with other servers; empty if nothing is
 */
public record PrefixCacheStatus(
        Tier host,
        Counts counts,
        Optional<ArchiveStatus> disk,
        Optional<SharedArchiveStatus> shared) {
    /** Checks that nothing is missing. */
    public PrefixCacheStatus {
        Objects.requireNonNull(shared);
        Objects.requireNonNull(disk);
    }

    /** Shares nothing. */
    public PrefixCacheStatus(Tier host, Counts counts, Optional<ArchiveStatus> disk) {
        this(host, counts, disk, Optional.empty());
    }

    /** With nothing behind host memory. */
    public PrefixCacheStatus(Tier host, Counts counts) {
        this(host, counts, Optional.empty(), Optional.empty());
    }

    /** The same with what is known of stores. */
    public PrefixCacheStatus with(
            Optional<ArchiveStatus> onDisk, Optional<SharedArchiveStatus> withOthers) {
        return new PrefixCacheStatus(host, counts, onDisk, withOthers);
    }

    /** Nothing is kept and nothing was asked. */
    public static final PrefixCacheStatus NONE =
            new PrefixCacheStatus(new Tier(0, 0, 0, 0), Counts.NONE);

    /**
     * What host memory holds.
     *
     * @param limitBytes most bytes that it may hold; 0 where nothing is kept there
     * @param usedBytes bytes that are taken, those of hidden states for a draft included
     * @param entries positions that can be restored
     * @param blockTokens tokens whose rows are kept, each once
     */
    public record Tier(long limitBytes, long usedBytes, int entries, long blockTokens) {}

    /**
     * What was found and copied.
     *
     * @param hits requests by where the beginning of their prompt came from
     * @param savedTokens tokens that needed no computing, likewise
     * @param misses requests by why nothing was found
     * @param evictions positions that gave way to others
     * @param moved bytes and times of copies
     */
    public record Counts(
            Map<CacheSource, Long> hits,
            Map<CacheSource, Long> savedTokens,
            Map<MissReason, Long> misses,
            long evictions,
            Moved moved) {
        static final Counts NONE =
                new Counts(
                        new EnumMap<>(CacheSource.class),
                        new EnumMap<>(CacheSource.class),
                        new EnumMap<>(MissReason.class),
                        0,
                        Moved.NOTHING);

        /** Copies the maps; what is not in them counts 0. */
        public Counts {
            hits = Map.copyOf(hits);
            savedTokens = Map.copyOf(savedTokens);
            misses = Map.copyOf(misses);
        }
    }

    /**
     * What was copied between the devices and host memory.
     *
     * @param exportedBytes from the devices
     * @param restoredBytes to the devices
     * @param restores how many restores took at most so long, for each of {@link #RESTORE_BOUNDS},
     *     and one more for those that took longer; not summed up
     * @param restoreSeconds time of all restores together
     */
    public record Moved(
            long exportedBytes, long restoredBytes, long[] restores, double restoreSeconds) {
        /** Upper bounds of the classes of restores, in seconds. */
        private static final double[] RESTORE_BOUNDS = {
            0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5
        };

        static final Moved NOTHING = new Moved(0, 0, new long[RESTORE_BOUNDS.length + 1], 0);

        /** Copies the classes. */
        public Moved {
            restores = restores.clone();
        }

        /** Upper bounds of the classes of restores, in seconds, ascending. */
        public static double[] bounds() {
            return RESTORE_BOUNDS.clone();
        }

        @Override
        public long[] restores() {
            return restores.clone();
        }

        /** How many restores there were. */
        public long restoreCount() {
            return Arrays.stream(restores).sum();
        }
    }
}
