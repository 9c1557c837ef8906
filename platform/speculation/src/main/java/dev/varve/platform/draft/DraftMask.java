package dev.varve.platform.draft;

import java.util.Arrays;

/**
 * What the slots of a block see of a region's rows: the block's own, and the context that is there
 * and inside of the layer's window.
 */
final class DraftMask {
    /** Half-precision minus infinity: the row is not seen. */
    static final short MASKED = (short) 0xFC00;

    private static final short SEEN = 0;

    private DraftMask() {}

    /**
     * Writes the mask of a block, slot after slot, one number for each row that is read.
     *
     * @param block slots
     * @param capacity of the ring behind them
     * @param begin first position of the context that is there
     * @param end position of the block's first slot
     * @param rows rows that are read
     */
    static void fill(
            short[] target,
            DraftHyperparameters.Rule rule,
            int block,
            int capacity,
            int begin,
            int end,
            int rows) {
        for (int slot = 0; slot < block; slot++) {
            int row = slot * rows;
            Arrays.fill(target, row, row + rows, MASKED);
            int seen = rule.causal() ? slot + 1 : block;
            Arrays.fill(target, row, row + seen, SEEN);
            int query = end + (rule.shared() ? 0 : slot);
            int window = rule.window().orElse(Integer.MAX_VALUE);
            // A shared bound counts the context alone.
            long first = rule.shared() ? (long) end - window : (long) query - window + 1;
            int from = (int) Math.max(Math.max(begin, first), Math.max(0, end - capacity));
            for (int position = from; position < end; position++) {
                target[row + block + position % capacity] = SEEN;
            }
        }
    }
}
