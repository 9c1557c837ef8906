package dev.varve.platform.shard;

import java.util.OptionalInt;

/**
 * Which positions a state row's region of the sliding layers holds.
 *
 * @param window positions that a token sees, empty where no layer slides
 * @param regionSlots slots of a region, a multiple of {@link SlotSpan#BLOCK}
 */
public record WindowRule(OptionalInt window, int regionSlots) {
    /** First position whose row the token behind {@code end} positions needs, in whole blocks. */
    public int first(int end) {
        long oldest = Math.max(0, (long) end - window.orElse(1) + 1);
        return (int) (oldest / SlotSpan.BLOCK * SlotSpan.BLOCK);
    }

    /**
     * Position in the first slot of a region after {@code end} positions. Where none was ever
     * dropped a lone token reads them all, masked, which decides the last bits of what it gets.
     */
    public int begin(int end) {
        return end <= regionSlots ? 0 : first(end);
    }
}
