package dev.varve.plugin.chronicle.map;

import net.openhft.chronicle.map.VanillaChronicleMap;

/**
 * Where the entries of a map lie in its file: at its end, all of one size, a new one always in the
 * first place that is free. So {@code n} entries never lie behind place {@code n}, unless others
 * that lay before them are gone, and then their places had room already.
 *
 * @param fileBytes length of the file
 * @param places how many entries fit
 * @param placeBytes bytes of one
 */
record MapLayout(long fileBytes, long places, long placeBytes) {
    /** More than the padding behind the last entry, and than a page that begins in it. */
    private static final int SLACK_BYTES = 16 << 10;

    static MapLayout of(VanillaChronicleMap<byte[], byte[], ?> map) {
        long chunks = map.actualChunksPerSegmentTier;
        return new MapLayout(map.file().length(), chunks, map.chunkSize);
    }

    /** No entry in the first places reaches behind this position of the file. */
    long behind(long entries) {
        return Math.min(fileBytes, fileBytes - (places - entries) * placeBytes + SLACK_BYTES);
    }

    /**
     * An entry behind the first places begins at this position of the file, or later. What lies
     * before all entries, such as the lock, is never behind it.
     */
    long before(long entries) {
        return Math.max(behind(0), fileBytes - (places - entries) * placeBytes - SLACK_BYTES);
    }
}
