package dev.varve.platform.shard;

/**
 * Position, slots and state rows of a chunk.
 *
 * @param firstPosition position of the chunk's first token
 * @param slots slots of the sequence's K and V rows
 * @param readRow recurrent state row before the chunk; {@value SequenceChunk#ZERO_ROW} at the start
 *     of a sequence
 * @param writeRow recurrent state row after it, never {@value SequenceChunk#ZERO_ROW}
 * @param rollbackBuffer rollback buffer that keeps the inputs of the recurrent states for a {@link
 *     StateCommit}, instead of new states: some tokens of the chunk are draft tokens; {@value
 *     #NO_ROLLBACK_BUFFER} if there are none
 * @param positions which positions are in which slots
 */
public record ChunkPlacement(
        int firstPosition,
        KvSlotSpan slots,
        int readRow,
        int writeRow,
        int rollbackBuffer,
        SlotPositionMap positions) {
    /** Value for a chunk without draft tokens: its states are updated at once. */
    public static final int NO_ROLLBACK_BUFFER = -1;

    /** Checks the position and the rows. */
    public ChunkPlacement {
        if (firstPosition < 0) {
            throw new IllegalArgumentException(
                    "first position must not be negative, got " + firstPosition);
        }
        if (readRow < 0 || writeRow <= SequenceChunk.ZERO_ROW) {
            throw new IllegalArgumentException(
                    "invalid state rows: read " + readRow + ", write " + writeRow);
        }
        if (rollbackBuffer < NO_ROLLBACK_BUFFER) {
            throw new IllegalArgumentException(
                    "rollback buffer must be "
                            + NO_ROLLBACK_BUFFER
                            + " or more, got "
                            + rollbackBuffer);
        }
        if (!positions.isStraight() && positions.size() * Pages.TOKENS != slots.capacity()) {
            throw new IllegalArgumentException(
                    positions.size()
                            + " pages do not fill the span of "
                            + slots.capacity()
                            + " slots");
        }
    }

    /** Creates a placement whose positions are in order. */
    public ChunkPlacement(
            int firstPosition, KvSlotSpan slots, int readRow, int writeRow, int rollbackBuffer) {
        this(firstPosition, slots, readRow, writeRow, rollbackBuffer, SlotPositionMap.STRAIGHT);
    }

    /** Whether the given number of tokens, from the first position on, have slots. */
    boolean holds(int tokens) {
        if (positions.isStraight()) {
            return tokens <= slots.capacity() - firstPosition;
        }
        if (tokens > slots.capacity()) {
            return false;
        }
        for (int at = firstPosition; at < firstPosition + tokens; at += Pages.TOKENS) {
            if (!positions.holds(at)) {
                return false;
            }
        }
        return positions.holds(firstPosition + tokens - 1);
    }

    /** Creates a placement of tokens without drafts. */
    public ChunkPlacement(int firstPosition, KvSlotSpan slots, int readRow, int writeRow) {
        this(firstPosition, slots, readRow, writeRow, NO_ROLLBACK_BUFFER);
    }

    /** Whether some of the tokens are draft tokens. */
    public boolean isDrafted() {
        return rollbackBuffer != NO_ROLLBACK_BUFFER;
    }

    /** Creates the placement of a new sequence. */
    public static ChunkPlacement start(KvSlotSpan slots, int writeRow) {
        return new ChunkPlacement(0, slots, SequenceChunk.ZERO_ROW, writeRow);
    }

    /** Creates the placement of a sequence that continues with its state in the same row. */
    public static ChunkPlacement next(int firstPosition, KvSlotSpan slots, int row) {
        return new ChunkPlacement(
                firstPosition, slots, firstPosition == 0 ? SequenceChunk.ZERO_ROW : row, row);
    }
}
