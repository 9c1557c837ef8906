package dev.varve.platform.shard;

/**
 * Consecutive tokens of one sequence in a {@link Batch}.
 *
 * @param sequence identity of the sequence
 * @param tokens token ids, at least one; not to be modified
 * @param firstPosition position of the first token
 * @param slots where the sequence's K and V rows live; must hold all positions of the slice
 * @param readRow recurrent state row before the slice; {@value #ZERO_ROW} at the start of a
 *     sequence
 * @param writeRow recurrent state row after it, never {@value #ZERO_ROW}
 * @param outputs which tokens need logits
 */
public record Slice(
        long sequence,
        int[] tokens,
        int firstPosition,
        SlotSpan slots,
        int readRow,
        int writeRow,
        OutputRows outputs) {
    /** Row that always holds the state of an empty sequence. */
    public static final int ZERO_ROW = 0;

    public Slice {
        if (tokens.length == 0 || firstPosition < 0) {
            throw new IllegalArgumentException(
                    "slice of " + tokens.length + " tokens at position " + firstPosition);
        }
        if (firstPosition + tokens.length > slots.capacity()) {
            throw new IllegalArgumentException(
                    "positions up to "
                            + (firstPosition + tokens.length)
                            + " do not fit the span of "
                            + slots.capacity()
                            + " slots");
        }
        if (readRow < 0 || writeRow <= ZERO_ROW) {
            throw new IllegalArgumentException(
                    "state rows: read " + readRow + ", write " + writeRow);
        }
    }

    /** Slots that attention reads: all positions up to the slice's last, padded to whole blocks. */
    public int attendedSlots() {
        return SlotSpan.roundUp(firstPosition + tokens.length);
    }

    /** Rows of logits that the slice asks for. */
    public int outputCount() {
        return outputs.count(tokens.length);
    }
}
