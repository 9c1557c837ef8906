package dev.varve.platform.compression.selection;

/**
 * Reach of anchors.
 *
 * @param radius chunks on each side of an anchor that are kept too
 * @param mostHits largest number of occurrences of an anchor's n-gram; more frequent ones are
 *     ignored
 */
record AnchorReach(int radius, int mostHits) {
    private static final int MEDIUM_CHUNKS = 1024;
    private static final int LARGE_CHUNKS = 2048;

    /** Returns the reach for a text length; it grows with the length. */
    static AnchorReach of(int chunks) {
        if (chunks < MEDIUM_CHUNKS) {
            return new AnchorReach(2, 8);
        }
        return chunks < LARGE_CHUNKS ? new AnchorReach(4, 16) : new AnchorReach(8, 32);
    }
}
