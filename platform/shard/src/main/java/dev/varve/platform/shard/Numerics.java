package dev.varve.platform.shard;

import java.util.Objects;

/**
 * Settings that decide the last bits of a shard's numbers.
 *
 * @param flashAttention whether attention is one operator
 * @param exactRows whether the numbers of a token may depend on its batch
 */
public record Numerics(FlashAttention flashAttention, BatchInvariance exactRows) {
    /** Flash attention if the device supports it, exact rows where they are cheap. */
    public static final Numerics AUTO = new Numerics(FlashAttention.AUTO, BatchInvariance.AUTO);

    /** Checks that nothing is missing. */
    public Numerics {
        Objects.requireNonNull(flashAttention);
        Objects.requireNonNull(exactRows);
    }
}
