package dev.varve.platform.shard;

/**
 * Consecutive tokens of one sequence in a {@link Batch}, or a tree of guesses behind its last known
 * token: then the token of each slot is at the position that its predecessors leave it.
 *
 * @param sequence identity of the sequence
 * @param tokens token ids, at least one; not to be modified
 * @param place where they continue the sequence; must hold all positions of the slice
 * @param outputs which tokens need logits
 * @param kind what the tokens are computed as
 * @param tree which token each one follows; rows of decode alone may branch
 */
public record SequenceChunk(
        long sequence,
        int[] tokens,
        ChunkPlacement place,
        OutputRows outputs,
        ChunkComputeMode kind,
        TokenTree tree) {
    /** Row that always holds the state of an empty sequence. */
    public static final int ZERO_ROW = 0;

    /** Checks that the tokens fit their place. */
    public SequenceChunk {
        if (tokens.length == 0) {
            throw new IllegalArgumentException(
                    "slice of no tokens at position " + place.firstPosition());
        }
        if (tokens.length > Integer.MAX_VALUE - place.firstPosition()
                || !place.holds(tokens.length)) {
            throw new IllegalArgumentException(
                    "positions up to "
                            + ((long) place.firstPosition() + tokens.length)
                            + " do not fit the span of "
                            + place.slots().capacity()
                            + " slots");
        }
        if (!tree.fits(tokens.length)) {
            throw new IllegalArgumentException(
                    "slice of " + tokens.length + " tokens with the tree " + tree);
        }
    }

    /** Tokens one after the other. */
    public SequenceChunk(
            long sequence,
            int[] tokens,
            ChunkPlacement place,
            OutputRows outputs,
            ChunkComputeMode kind) {
        this(sequence, tokens, place, outputs, kind, TokenTree.CHAIN);
    }

    /** A chunk, or a row if it is of a decode batch or has a single token. */
    public SequenceChunk(long sequence, int[] tokens, ChunkPlacement place, OutputRows outputs) {
        this(sequence, tokens, place, outputs, ChunkComputeMode.CHUNK);
    }

    /** Position of the first token. */
    public int firstPosition() {
        return place.firstPosition();
    }

    /** Position of a token. */
    public int position(int token) {
        return firstPosition() + tree.level(token);
    }

    /** Where the sequence's K and V rows live. */
    public SlotSpan slots() {
        return place.slots();
    }

    /** Recurrent state row before the slice. */
    public int readRow() {
        return place.readRow();
    }

    /** Recurrent state row after the slice. */
    public int writeRow() {
        return place.writeRow();
    }

    /**
     * Slots that attention reads: those of all pages in the span up to the slice's last position,
     * padded to whole blocks. It follows from the pages alone, wherever they lie.
     */
    public int attendedSlots() {
        return SlotSpan.roundUp(place.pages().slotsUpTo(firstPosition() + tokens.length - 1));
    }

    /** Rows of logits that the slice asks for. */
    public int outputCount() {
        return outputs.count(tokens.length);
    }
}
