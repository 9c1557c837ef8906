package dev.varve.platform.shard;

/** Sizes of pages and pools. */
public final class PoolGeometry {
    /** Positions of a page. */
    public static final int PAGE = 64;

    /** Leading pages that never leave a pool: attention sinks. */
    public static final int SINKS = 1;

    /** Pages before the one that is written which never leave a pool. */
    public static final int TAIL = 4;

    /** Least tokens of a pool: sinks, tail, the page that is written and one that may leave. */
    public static final int LEAST = (SINKS + TAIL + 2) * PAGE;

    /** Last tokens of a prompt that pages are chosen for before they are computed. */
    public static final int QUESTION = 64;

    /** A cell is no more than such a part of a pool. */
    private static final int POOL_PARTS = 4;

    /** Most tokens of a cell: a window of prefill. */
    private static final int MOST_CELL = 512;

    private PoolGeometry() {}

    /**
     * Tokens of a prompt for which room is made together, at multiples of as many positions; whole
     * pages. They see what is left in the pool, so they are few beside it.
     *
     * @param poolTokens slots of the pool
     */
    public static int cell(int poolTokens) {
        return Math.clamp(poolTokens / POOL_PARTS / PAGE * PAGE, PAGE, MOST_CELL);
    }

    /** Tokens of a pool up to the end of its last whole cell: behind it a page may have left. */
    public static int wholeCells(int poolTokens) {
        return poolTokens / cell(poolTokens) * cell(poolTokens);
    }

    /** The page of a position. */
    public static int pageOf(int position) {
        return position / PAGE;
    }

    /** Pages that a number of tokens needs. */
    public static int pages(int tokens) {
        return Math.ceilDiv(tokens, PAGE);
    }
}
