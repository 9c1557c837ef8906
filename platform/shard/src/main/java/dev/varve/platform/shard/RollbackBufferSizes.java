package dev.varve.platform.shard;

/**
 * Sizes of the buffers that keep the inputs of recurrent states for draft tokens, until the
 * accepted tokens are known.
 *
 * @param count drafted chunks of a batch
 * @param tokens maximum tokens of such a chunk
 */
public record RollbackBufferSizes(int count, int tokens) {
    /** No buffers: without speculative decoding. */
    public static final RollbackBufferSizes NONE = new RollbackBufferSizes(0, 0);

    /** Checks that both are positive or both are 0. */
    public RollbackBufferSizes {
        if (count < 0 || tokens < 0 || (count == 0) != (tokens == 0)) {
            throw new IllegalArgumentException(
                    "rollback buffers: count and tokens must both be positive or both be 0, got "
                            + count
                            + " and "
                            + tokens);
        }
    }

    /** Tokens of all buffers together. */
    public long allTokens() {
        return (long) count * tokens;
    }
}
