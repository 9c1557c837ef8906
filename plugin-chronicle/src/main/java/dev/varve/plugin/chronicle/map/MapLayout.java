package dev.varve.plugin.chronicle.map;

import net.openhft.chronicle.map.VanillaChronicleMap;

/**
 * Places of the entries in a map's file: at its end, all of one size; a new entry always uses the
 * first free place. Therefore {@code n} entries never lie after place {@code n}, unless earlier
 * ones were removed, and then their places had their disk space already.
 *
 * @param fileBytes length of the file
 * @param places number of entries that fit
 * @param placeBytes bytes of a place
 */
record MapLayout(long fileBytes, long places, long placeBytes) {
    /** More than the padding after the last entry, plus a page that begins in it. */
    private static final int SLACK_BYTES = 16 << 10;

    static MapLayout of(VanillaChronicleMap<byte[], byte[], ?> map) {
        long chunks = map.actualChunksPerSegmentTier;
        return new MapLayout(map.file().length(), chunks, map.chunkSize);
    }

    /** No entry in the first places extends beyond this position of the file. */
    long behind(long entries) {
        return Math.min(fileBytes, fileBytes - (places - entries) * placeBytes + SLACK_BYTES);
    }

    /**
     * An entry after the first places begins at this position of the file, or later. Data before
     * all entries, such as the lock, is never after it.
     */
    long before(long entries) {
        return Math.max(behind(0), fileBytes - (places - entries) * placeBytes - SLACK_BYTES);
    }
}
