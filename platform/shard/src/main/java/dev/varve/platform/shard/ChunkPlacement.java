package dev.varve.platform.shard;

/**
 * Where a slice continues its sequence, and where the state of the sequence lies.
 *
 * @param firstPosition position of the slice's first token
 * @param slots where the sequence's K and V rows live
 * @param readRow recurrent state row before the slice; {@value Slice#ZERO_ROW} at the start of a
 *     sequence
 * @param writeRow recurrent state row after it, never {@value Slice#ZERO_ROW}
 * @param stash where the inputs of its recurrent states are kept for a {@link StateCommit}, in the
 *     place of new states: some of its tokens are guessed; {@value #NO_STASH} if all of them count
 * @param pages which positions lie in which slots
 */
public record ChunkPlacement(
        int firstPosition, SlotSpan slots, int readRow, int writeRow, int stash, PageMap pages) {
    /** Of tokens that count as soon as they are computed. */
    public static final int NO_STASH = -1;

    /** Checks the position and the rows. */
    public ChunkPlacement {
        if (firstPosition < 0) {
            throw new IllegalArgumentException("slice at position " + firstPosition);
        }
        if (readRow < 0 || writeRow <= SequenceChunk.ZERO_ROW) {
            throw new IllegalArgumentException(
                    "state rows: read " + readRow + ", write " + writeRow);
        }
        if (stash < NO_STASH) {
            throw new IllegalArgumentException("stash " + stash);
        }
        if (!pages.isStraight() && pages.size() * Pages.TOKENS != slots.capacity()) {
            throw new IllegalArgumentException(
                    pages.size() + " pages in a span of " + slots.capacity() + " slots");
        }
    }

    /** A place in which positions lie in their order. */
    public ChunkPlacement(int firstPosition, SlotSpan slots, int readRow, int writeRow, int stash) {
        this(firstPosition, slots, readRow, writeRow, stash, PageMap.STRAIGHT);
    }

    /** Whether some tokens from the first position on all have a slot. */
    boolean holds(int tokens) {
        if (pages.isStraight()) {
            return tokens <= slots.capacity() - firstPosition;
        }
        if (tokens > slots.capacity()) {
            return false;
        }
        for (int at = firstPosition; at < firstPosition + tokens; at += Pages.TOKENS) {
            if (!pages.holds(at)) {
                return false;
            }
        }
        return pages.holds(firstPosition + tokens - 1);
    }

    /** The place of tokens that all count. */
    public ChunkPlacement(int firstPosition, SlotSpan slots, int readRow, int writeRow) {
        this(firstPosition, slots, readRow, writeRow, NO_STASH);
    }

    /** Whether some of the tokens are guessed. */
    public boolean isDrafted() {
        return stash != NO_STASH;
    }

    /** Where a new sequence begins. */
    public static ChunkPlacement start(SlotSpan slots, int writeRow) {
        return new ChunkPlacement(0, slots, SequenceChunk.ZERO_ROW, writeRow);
    }

    /** Where a sequence goes on whose state stays in its row. */
    public static ChunkPlacement next(int firstPosition, SlotSpan slots, int row) {
        return new ChunkPlacement(
                firstPosition, slots, firstPosition == 0 ? SequenceChunk.ZERO_ROW : row, row);
    }
}
