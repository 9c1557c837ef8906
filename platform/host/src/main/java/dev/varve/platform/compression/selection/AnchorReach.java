package dev.varve.platform.compression.selection;

/**
 * How far anchors reach.
 *
 * @param radius chunks on each side that stay with one
 * @param mostHits places at which the words of an anchor may stand; what stands at more of them
 *     says nothing
 */
record AnchorReach(int radius, int mostHits) {
    private static final int MEDIUM_CHUNKS = 1024;
    private static final int LARGE_CHUNKS = 2048;

    /** The longer a text, the farther. */
    static AnchorReach of(int chunks) {
        if (chunks < MEDIUM_CHUNKS) {
            return new AnchorReach(2, 8);
        }
        return chunks < LARGE_CHUNKS ? new AnchorReach(4, 16) : new AnchorReach(8, 32);
    }
}
