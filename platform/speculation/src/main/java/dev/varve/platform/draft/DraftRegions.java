package dev.varve.platform.draft;

/**
 * Which rows of a draft network's cache belong to which sequence. Each has a region: first the rows
 * of the block that is being guessed, then a ring of context rows, a position in slot {@code
 * position mod capacity}. One more row at the very end takes what only fills a graph.
 *
 * @param count sequences that can be there at once
 * @param block rows of the block
 * @param capacity context positions of a sequence
 */
record DraftRegions(int count, int block, int capacity) {
    /** Rows that a region grows and is read in. */
    static final int STEP = 64;

    private static int roundUp(int rows) {
        return (rows + STEP - 1) / STEP * STEP;
    }

    private int regionRows() {
        return roundUp(block + capacity);
    }

    /** Rows of all regions, and those behind them. */
    long rows() {
        return (long) count * regionRows() + STEP;
    }

    /** First row of a region. */
    int begin(int region) {
        return region * regionRows();
    }

    /** Row of a slot of the block. */
    int blockRow(int region, int slot) {
        return begin(region) + slot;
    }

    /** Row of a context position. */
    int contextRow(int region, int position) {
        return begin(region) + block + position % capacity;
    }

    /** Rows to read of a region so that all context up to a position is among them. */
    int rowsToRead(int end) {
        return roundUp(block + Math.min(end, capacity));
    }

    /** Row that nobody reads. */
    long spareRow() {
        return rows() - 1;
    }
}
