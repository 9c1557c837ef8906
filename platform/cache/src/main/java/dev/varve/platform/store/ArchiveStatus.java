package dev.varve.platform.store;

import java.util.Locale;
import java.util.Map;

/**
 * Contents and statistics of an archive.
 *
 * @param state whether it accepts writes
 * @param budgetBytes maximum bytes of all namespaces together
 * @param usedBytes bytes of this namespace's stores
 * @param objects number of objects of all kinds
 * @param checkpoints positions that can be restored
 * @param segments number of segments
 * @param traffic reads and writes
 */
public record ArchiveStatus(
        State state,
        long budgetBytes,
        long usedBytes,
        int objects,
        int checkpoints,
        int segments,
        Traffic traffic) {
    /** Whether an archive accepts writes. */
    public enum State {
        /** It is read and written. */
        OPEN,
        /** It is only read. */
        READ_ONLY,
        /** The disk is full or has failed; writes are retried later. */
        PAUSED;

        /** Name in responses and metrics. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Reads and writes since the start.
     *
     * @param writtenBytes of objects
     * @param readBytes of objects
     * @param evictions evicted objects
     * @param misses known objects that could not be read, by reason
     */
    public record Traffic(
            long writtenBytes,
            long readBytes,
            long evictions,
            Map<ArchiveMissException.Reason, Long> misses) {
        /** Copies the map. */
        public Traffic {
            misses = Map.copyOf(misses);
        }
    }
}
