package dev.varve.platform.shard;

/**
 * Room for what recurrent states take in of tokens that are guessed, until it is known how many of
 * them count.
 *
 * @param count drafted slices of a batch
 * @param tokens most tokens of such a slice
 */
public record RollbackBuffers(int count, int tokens) {
    /** Where nothing is guessed. */
    public static final RollbackBuffers NONE = new RollbackBuffers(0, 0);

    /** Checks that both are there or none. */
    public RollbackBuffers {
        if (count < 0 || tokens < 0 || (count == 0) != (tokens == 0)) {
            throw new IllegalArgumentException(count + " stashes of " + tokens + " tokens");
        }
    }

    /** Tokens of all of them. */
    public long allTokens() {
        return (long) count * tokens;
    }
}
