package dev.varve.platform.paging;

import java.util.Objects;

/**
 * How the attention cache of sequences is bounded.
 *
 * @param poolTokens slots of each sequence's pool, whole blocks of slots, at least {@link
 *     PoolGeometry#LEAST}
 * @param policy which pages stay in it
 * @param tau least tokens between two choices of pages, at least 1
 */
public record PagingOptions(int poolTokens, PagePolicy policy, int tau) {
    /** Tokens between two choices of pages where nobody asked for another number. */
    public static final int DEFAULT_TAU = 64;

    /** Checks the sizes. */
    public PagingOptions {
        Objects.requireNonNull(policy);
        if (poolTokens < PoolGeometry.LEAST || poolTokens % PoolGeometry.PAGE != 0) {
            throw new IllegalArgumentException(
                    "a pool needs whole pages of "
                            + PoolGeometry.PAGE
                            + " tokens, at least "
                            + PoolGeometry.LEAST
                            + " tokens, got "
                            + poolTokens);
        }
        if (tau < 1) {
            throw new IllegalArgumentException("tau must be positive, got " + tau);
        }
    }
}
