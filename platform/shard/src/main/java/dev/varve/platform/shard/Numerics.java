package dev.varve.platform.shard;

import java.util.Objects;

/**
 * What decides the last bits of a shard's numbers.
 *
 * @param flashAttention whether attention is one operator
 * @param exactRows what the numbers of a token may depend on
 */
public record Numerics(FlashAttention flashAttention, BatchInvariance exactRows) {
    /** Flash attention where the device has it, exact rows where they are cheap. */
    public static final Numerics AUTO = new Numerics(FlashAttention.AUTO, BatchInvariance.AUTO);

    /** Checks that nothing is missing. */
    public Numerics {
        Objects.requireNonNull(flashAttention);
        Objects.requireNonNull(exactRows);
    }
}
