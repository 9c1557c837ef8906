package dev.varve.platform.draft;

/**
 * Assignment of a draft network's cache rows to sequences. Each sequence has a region: first the
 * rows of the current block, then a ring of context rows, a position in slot {@code position mod
 * capacity}. One more row at the very end receives the padding of a graph.
 *
 * @param count maximum number of sequences
 * @param block rows of the block
 * @param capacity context positions of a sequence
 */
record DraftRegions(int count, int block, int capacity) {
    /** Step in which the rows of a region grow and are read. */
    static final int STEP = 64;

    private static int roundUp(int rows) {
        return (rows + STEP - 1) / STEP * STEP;
    }

    private int regionRows() {
        return roundUp(block + capacity);
    }

    /** Number of rows of all regions, and those after them. */
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

    /** Number of rows to read of a region so that they contain all context up to a position. */
    int rowsToRead(int end) {
        return roundUp(block + Math.min(end, capacity));
    }

    /** Row that is never read. */
    long spareRow() {
        return rows() - 1;
    }
}
