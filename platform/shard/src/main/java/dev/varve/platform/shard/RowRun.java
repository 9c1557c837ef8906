package dev.varve.platform.shard;

/**
 * Consecutive positions of a sequence and where their K and V rows lie.
 *
 * @param position the first one
 * @param count how many
 * @param slot slot of the first one; {@value #ON_HOST} if they are in host memory
 * @param page name of the page to which they belong, where they are in host memory; 0 elsewhere
 */
public record RowRun(int position, int count, int slot, long page) {
    private static final int ON_HOST = -1;

    /** Rows in slots. */
    public static RowRun inSlots(int position, int count, int slot) {
        return new RowRun(position, count, slot, 0);
    }

    /** Rows of a page in host memory. */
    public static RowRun onHost(int position, int count, long page) {
        return new RowRun(position, count, ON_HOST, page);
    }

    /** The rows of a layer. */
    CachePart part(int layer, RowLayout layout) {
        return slot == ON_HOST
                ? new CachePart.Page(layer, layout, page, position, count)
                : new CachePart.Rows(layer, layout, slot, position, count);
    }
}
