package dev.varve.platform.draft;

import java.util.Arrays;

/**
 * Mask of the region's rows that the slots of a block attend to: the block's own, and the available
 * context within the layer's window.
 */
final class DraftMask {
    /** Half-precision minus infinity: the slot does not attend to the row. */
    static final short MASKED = (short) 0xFC00;

    private static final short VISIBLE = 0;

    private DraftMask() {}

    /**
     * Writes the mask of a block, slot after slot, one number for each row that is read.
     *
     * @param block number of slots
     * @param capacity of the ring after them
     * @param begin first available position of the context
     * @param end position of the block's first slot
     * @param rows number of rows that are read
     */
    static void fill(
            short[] target,
            DraftHyperparameters.LayerAttention rule,
            int block,
            int capacity,
            int begin,
            int end,
            int rows) {
        for (int slot = 0; slot < block; slot++) {
            int row = slot * rows;
            Arrays.fill(target, row, row + rows, MASKED);
            int seen = rule.causal() ? slot + 1 : block;
            Arrays.fill(target, row, row + seen, VISIBLE);
            int query = end + (rule.shared() ? 0 : slot);
            int window = rule.window().orElse(Integer.MAX_VALUE);
            // A shared bound counts the context only.
            long first = rule.shared() ? (long) end - window : (long) query - window + 1;
            int from = (int) Math.max(Math.max(begin, first), Math.max(0, end - capacity));
            for (int position = from; position < end; position++) {
                target[row + block + position % capacity] = VISIBLE;
            }
        }
    }
}
