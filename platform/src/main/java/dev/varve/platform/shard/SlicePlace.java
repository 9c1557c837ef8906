package dev.varve.platform.shard;

/**
 * Where a slice continues its sequence, and where the state of the sequence lies.
 *
 * @param firstPosition position of the slice's first token
 * @param slots where the sequence's K and V rows live
 * @param readRow recurrent state row before the slice; {@value Slice#ZERO_ROW} at the start of a
 *     sequence
 * @param writeRow recurrent state row after it, never {@value Slice#ZERO_ROW}
 */
public record SlicePlace(int firstPosition, SlotSpan slots, int readRow, int writeRow) {
    /** Checks the position and the rows. */
    public SlicePlace {
        if (firstPosition < 0) {
            throw new IllegalArgumentException("slice at position " + firstPosition);
        }
        if (readRow < 0 || writeRow <= Slice.ZERO_ROW) {
            throw new IllegalArgumentException(
                    "state rows: read " + readRow + ", write " + writeRow);
        }
    }

    /** Where a new sequence begins. */
    public static SlicePlace start(SlotSpan slots, int writeRow) {
        return new SlicePlace(0, slots, Slice.ZERO_ROW, writeRow);
    }

    /** Where a sequence goes on whose state stays in its row. */
    public static SlicePlace next(int firstPosition, SlotSpan slots, int row) {
        return new SlicePlace(firstPosition, slots, firstPosition == 0 ? Slice.ZERO_ROW : row, row);
    }
}
