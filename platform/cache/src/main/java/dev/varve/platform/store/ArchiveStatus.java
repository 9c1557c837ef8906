package dev.varve.platform.store;

import java.util.Locale;
import java.util.Map;

/**
 * What an archive holds and did.
 *
 * @param state whether it is written to
 * @param budgetBytes most bytes of all namespaces together
 * @param usedBytes bytes of this namespace's stores
 * @param objects blocks and checkpoints
 * @param checkpoints positions that can be restored
 * @param generations stores
 * @param traffic what was read and written
 */
public record ArchiveStatus(
        State state,
        long budgetBytes,
        long usedBytes,
        int objects,
        int checkpoints,
        int generations,
        Traffic traffic) {
    /** Whether an archive is written to. */
    public enum State {
        /** It is read and written. */
        OPEN,
        /** It is only read. */
        READ_ONLY,
        /** The disk is full or failed; that is tried again. */
        PAUSED;

        /** The word that people and programs read. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What was read and written since the start.
     *
     * @param writtenBytes of objects
     * @param readBytes of objects
     * @param evictions objects that gave way
     * @param misses objects that were known and could not be read, by reason
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
