package dev.varve.platform.shard;

import java.util.OptionalInt;

/**
 * Positions that a state row's region of the sliding layers holds.
 *
 * @param window positions that a token attends to; empty without sliding layers
 * @param regionSlots slots of a region, a multiple of {@link KvSlotSpan#BLOCK}
 */
public record WindowRegionPositions(OptionalInt window, int regionSlots) {
    /**
     * First position that the token after {@code end} positions attends to, rounded down to whole
     * blocks.
     */
    public int first(int end) {
        long oldest = Math.max(0, (long) end - window.orElse(1) + 1);
        return (int) (oldest / KvSlotSpan.BLOCK * KvSlotSpan.BLOCK);
    }

    /**
     * Position in the first slot of a region after {@code end} positions. If no position was
     * dropped yet, a single token reads all of them, masked; this decides the last bits of its
     * result.
     */
    public int begin(int end) {
        return end <= regionSlots ? 0 : first(end);
    }
}
