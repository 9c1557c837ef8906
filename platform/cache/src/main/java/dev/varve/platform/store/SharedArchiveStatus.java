package dev.varve.platform.store;

import java.util.Locale;
import java.util.Map;

/**
 * What a shared store did for this process.
 *
 * @param address for people
 * @param answers whether it is asked at the moment
 * @param writes whether objects are written to it at the moment
 * @param searches requests for which it was asked, by what came of that
 * @param writtenBytes of objects
 * @param readBytes of objects
 * @param misses objects that were found and could not be used, by reason
 */
public record SharedArchiveStatus(
        String address,
        boolean answers,
        boolean writes,
        Map<Outcome, Long> searches,
        long writtenBytes,
        long readBytes,
        Map<ArchiveMissException.Reason, Long> misses) {
    /** Copies the maps. */
    public SharedArchiveStatus {
        searches = Map.copyOf(searches);
        misses = Map.copyOf(misses);
    }

    /** What came of asking for a prompt. */
    public enum Outcome {
        /** It had more than was known here. */
        FOUND,
        /** It had no more. */
        NOTHING,
        /** It did not answer, or not in time. */
        FAILED,
        /** It was not asked, since it had not answered others. */
        SKIPPED;

        /** The word that people and programs read. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
