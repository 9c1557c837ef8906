package dev.varve.platform.paging;

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

    private PoolGeometry() {}

    /** The page of a position. */
    public static int pageOf(int position) {
        return position / PAGE;
    }

    /** Pages that a number of tokens needs. */
    public static int pages(int tokens) {
        return Math.ceilDiv(tokens, PAGE);
    }
}
