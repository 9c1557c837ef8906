package dev.varve.platform.shard;

/**
 * How far the tokens of a drafted slice became part of their sequence. Its state takes in these and
 * no others: recurrent states are advanced over them, from the inputs that were stashed, and
 * windows end behind them.
 *
 * @param stash where the slice kept the inputs of its states, see {@link ChunkPlacement#stash}
 * @param readRow state row before the slice
 * @param writeRow state row after it
 * @param firstPosition position of the slice's first token
 * @param path numbers of those of its tokens that count, at least the first one, ascending: the
 *     first ones, or those of a path through a tree
 */
public record StateCommit(int stash, int readRow, int writeRow, int firstPosition, TokenPath path) {
    /** Checks what needs no knowledge of the caches. */
    public StateCommit {
        int tokens = path.length();
        if (stash < 0
                || readRow < 0
                || writeRow <= SequenceChunk.ZERO_ROW
                || firstPosition < 0
                || tokens > Integer.MAX_VALUE - firstPosition) {
            throw new IllegalArgumentException(
                    "commit of "
                            + tokens
                            + " tokens from position "
                            + firstPosition
                            + " on, of stash "
                            + stash
                            + " and state rows "
                            + readRow
                            + " and "
                            + writeRow);
        }
    }

    /**
     * Of a slice whose first tokens count.
     *
     * @param tokens how many, at least one
     */
    public StateCommit(int stash, int readRow, int writeRow, int firstPosition, int tokens) {
        this(stash, readRow, writeRow, firstPosition, TokenPath.first(tokens));
    }

    /** How many tokens count. */
    public int tokens() {
        return path.length();
    }

    /** Position behind the tokens that count. */
    public int end() {
        return firstPosition + path.length();
    }
}
