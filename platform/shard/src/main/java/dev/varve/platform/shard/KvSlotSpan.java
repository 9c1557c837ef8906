package dev.varve.platform.shard;

/**
 * Run of KV slots that one sequence owns; position p of the sequence is in slot {@code begin + p},
 * unless a {@link SlotPositionMap} assigns another one.
 *
 * @param begin first slot
 * @param capacity number of slots, a multiple of {@value #BLOCK}
 */
public record KvSlotSpan(int begin, int capacity) {
    /**
     * Number of slots of a block; attended lengths are padded to it, which keeps graphs reusable.
     */
    public static final int BLOCK = 256;

    /** Checks that blocks are whole. */
    public KvSlotSpan {
        if (begin < 0 || begin % BLOCK != 0 || capacity < 0 || capacity % BLOCK != 0) {
            throw new IllegalArgumentException(
                    "slot span must be whole blocks of "
                            + BLOCK
                            + ", got begin "
                            + begin
                            + ", capacity "
                            + capacity);
        }
    }

    /** Rounds a number of tokens up to whole blocks. */
    public static int roundUp(int tokens) {
        return Math.ceilDiv(tokens, BLOCK) * BLOCK;
    }

    /** Returns the slot of a position. */
    public int slot(int position) {
        if (position < 0 || position >= capacity) {
            throw new IllegalArgumentException(
                    "position " + position + " is outside the span of " + capacity);
        }
        return begin + position;
    }

    /** First slot after the span. */
    public int end() {
        return begin + capacity;
    }
}
