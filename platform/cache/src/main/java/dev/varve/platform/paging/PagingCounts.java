package dev.varve.platform.paging;

/**
 * What became of pages.
 *
 * @param pagesOut pages that left a pool
 * @param pagesIn pages that came back to one
 * @param movedBytes bytes that were copied between pools and host memory, in either direction
 * @param reselects choices of pages by score
 * @param recalls of the pages that came back, those that a choice by score asked for
 * @param recallHits of these, those that the next choice asked for again
 */
public record PagingCounts(
        long pagesOut,
        long pagesIn,
        long movedBytes,
        long reselects,
        long recalls,
        long recallHits) {
    /** Nothing moved. */
    public static final PagingCounts NONE = new PagingCounts(0, 0, 0, 0, 0, 0);

    /** Both together. */
    public PagingCounts plus(PagingCounts other) {
        return new PagingCounts(
                pagesOut + other.pagesOut,
                pagesIn + other.pagesIn,
                movedBytes + other.movedBytes,
                reselects + other.reselects,
                recalls + other.recalls,
                recallHits + other.recallHits);
    }

    /** Share of recalled pages that the next choice asked for again; 0 without any. */
    public double recallHitRate() {
        return recalls == 0 ? 0 : (double) recallHits / recalls;
    }
}
