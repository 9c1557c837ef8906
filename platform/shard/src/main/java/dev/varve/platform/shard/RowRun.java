package dev.varve.platform.shard;

/**
 * Consecutive positions of a sequence and the place of their K and V rows.
 *
 * @param position first position
 * @param count number of positions
 * @param slot slot of the first position; {@value #ON_HOST} if the rows are in host memory
 * @param page name of their page, if they are in host memory; otherwise 0
 */
public record RowRun(int position, int count, int slot, long page) {
    private static final int ON_HOST = -1;

    /** Creates a run of rows in slots. */
    public static RowRun inSlots(int position, int count, int slot) {
        return new RowRun(position, count, slot, 0);
    }

    /** Creates a run of rows of a page in host memory. */
    public static RowRun onHost(int position, int count, long page) {
        return new RowRun(position, count, ON_HOST, page);
    }

    /** Returns the cache part of these rows in a layer. */
    CachePart part(int layer, RowLayout layout) {
        return slot == ON_HOST
                ? new CachePart.HostPageRows(layer, layout, page, position, count)
                : new CachePart.Rows(layer, layout, slot, position, count);
    }
}
