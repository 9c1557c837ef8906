package dev.varve.platform.shard;

/**
 * Commits the accepted tokens of a drafted chunk to the state of their sequence. Recurrent states
 * are advanced over exactly these tokens, from the inputs in the rollback buffer, and windows end
 * after them.
 *
 * @param rollbackBuffer rollback buffer with the inputs of the chunk's states, see {@link
 *     ChunkPlacement#rollbackBuffer}
 * @param readRow state row before the chunk
 * @param writeRow state row after it
 * @param firstPosition position of the chunk's first token
 * @param path indexes of the accepted tokens in the chunk, at least the first one, ascending: the
 *     first ones, or a path through a tree
 */
public record StateCommit(
        int rollbackBuffer, int readRow, int writeRow, int firstPosition, AcceptedPath path) {
    /** Checks everything that does not depend on the caches. */
    public StateCommit {
        int tokens = path.length();
        if (rollbackBuffer < 0
                || readRow < 0
                || writeRow <= SequenceChunk.ZERO_ROW
                || firstPosition < 0
                || tokens > Integer.MAX_VALUE - firstPosition) {
            throw new IllegalArgumentException(
                    "invalid commit of "
                            + tokens
                            + " tokens from position "
                            + firstPosition
                            + ", rollback buffer "
                            + rollbackBuffer
                            + ", state rows "
                            + readRow
                            + " and "
                            + writeRow);
        }
    }

    /**
     * Creates a commit of the first tokens of a chunk.
     *
     * @param tokens number of accepted tokens, at least one
     */
    public StateCommit(
            int rollbackBuffer, int readRow, int writeRow, int firstPosition, int tokens) {
        this(rollbackBuffer, readRow, writeRow, firstPosition, AcceptedPath.first(tokens));
    }

    /** Number of accepted tokens. */
    public int tokens() {
        return path.length();
    }

    /** Position after the accepted tokens. */
    public int end() {
        return firstPosition + path.length();
    }
}
