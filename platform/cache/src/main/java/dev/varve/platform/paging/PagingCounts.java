package dev.varve.platform.paging;

/**
 * Statistics of pages.
 *
 * @param pagesOut pages that left a pool
 * @param pagesIn pages that returned to a pool
 * @param movedBytes bytes copied between pools and host memory, in both directions
 * @param reselects choices of pages by score
 * @param recalls returned pages that a choice by score requested
 * @param recallHits recalled pages that the next choice requested again
 */
public record PagingCounts(
        long pagesOut,
        long pagesIn,
        long movedBytes,
        long reselects,
        long recalls,
        long recallHits) {
    /** No moves. */
    public static final PagingCounts NONE = new PagingCounts(0, 0, 0, 0, 0, 0);

    /** Adds both. */
    public PagingCounts plus(PagingCounts other) {
        return new PagingCounts(
                pagesOut + other.pagesOut,
                pagesIn + other.pagesIn,
                movedBytes + other.movedBytes,
                reselects + other.reselects,
                recalls + other.recalls,
                recallHits + other.recallHits);
    }

    /** Fraction of recalled pages that the next choice requested again; 0 without recalls. */
    public double recallHitRate() {
        return recalls == 0 ? 0 : (double) recallHits / recalls;
    }
}
