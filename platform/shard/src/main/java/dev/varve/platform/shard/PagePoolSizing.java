package dev.varve.platform.shard;

/** Sizes of pages and pools. */
public final class PagePoolSizing {
    /** Positions of a page. */
    public static final int PAGE = 64;

    /** Number of leading pages that never leave a pool: attention sinks. */
    public static final int SINKS = 1;

    /** Number of pages before the page being written that never leave a pool. */
    public static final int TAIL = 4;

    /**
     * Minimum tokens of a pool: sinks, tail, the page being written and one page that may leave.
     */
    public static final int LEAST = (SINKS + TAIL + 2) * PAGE;

    /** Number of last tokens of a prompt for which pages are chosen before they are computed. */
    public static final int QUESTION = 64;

    /** A cell is at most this fraction of a pool. */
    private static final int POOL_PARTS = 4;

    /** Maximum tokens of a cell: a window of prefill. */
    private static final int MOST_CELL = 512;

    private PagePoolSizing() {}

    /**
     * Tokens of a prompt for which slots are freed together, at multiples of as many positions;
     * whole pages. They attend to the pages that remain in the pool, so a cell is small compared
     * with it.
     *
     * @param poolTokens slots of the pool
     */
    public static int cell(int poolTokens) {
        return Math.clamp(poolTokens / POOL_PARTS / PAGE * PAGE, PAGE, MOST_CELL);
    }

    /**
     * Tokens of a pool up to the end of its last whole cell; later tokens may find pages missing.
     */
    public static int wholeCells(int poolTokens) {
        return poolTokens / cell(poolTokens) * cell(poolTokens);
    }

    /** Number of the page of a position. */
    public static int pageOf(int position) {
        return position / PAGE;
    }

    /** Number of pages that hold a number of tokens. */
    public static int pages(int tokens) {
        return Math.ceilDiv(tokens, PAGE);
    }
}
