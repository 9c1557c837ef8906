package dev.varve.platform.store;

import java.util.Locale;
import java.util.Map;

/**
 * Statistics of a shared store in this process.
 *
 * @param address address of the store, for display
 * @param available whether it is queried at the moment
 * @param writes whether objects are written to it at the moment
 * @param searches number of searches, by outcome
 * @param writtenBytes of objects
 * @param readBytes of objects
 * @param misses objects that were found and could not be used, by reason
 */
public record SharedArchiveStatus(
        String address,
        boolean available,
        boolean writes,
        Map<SearchOutcome, Long> searches,
        long writtenBytes,
        long readBytes,
        Map<ArchiveMissException.Reason, Long> misses) {
    /** Copies the maps. */
    public SharedArchiveStatus {
        searches = Map.copyOf(searches);
        misses = Map.copyOf(misses);
    }

    /** Outcome of a search for a prompt. */
    public enum SearchOutcome {
        /** The store had more of it than the other tiers. */
        FOUND,
        /** The store had no more of it than the other tiers. */
        NOTHING,
        /** The store did not respond, or not in time. */
        FAILED,
        /** The store was not queried, because it had not responded before. */
        SKIPPED;

        /** Name in responses and metrics. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
