package dev.varve.platform.paging;

import dev.varve.platform.shard.PagePoolSizing;

import java.util.Objects;

/**
 * Bound of the KV cache of each sequence (KV Flash).
 *
 * @param poolTokens slots of each sequence's pool, whole pages, at least {@link
 *     PagePoolSizing#LEAST}
 * @param policy which pages stay in it
 * @param tau minimum tokens between two choices of pages, at least 1
 * @param pageBytes bytes of a page, over all shards
 */
public record PagingOptions(int poolTokens, PagePolicy policy, int tau, long pageBytes) {
    /** Default number of tokens between two choices of pages. */
    public static final int DEFAULT_TAU = 64;

    /** Creates options with an unknown page size. */
    public PagingOptions(int poolTokens, PagePolicy policy, int tau) {
        this(poolTokens, policy, tau, 0);
    }

    /** Returns the same options with pages of some bytes. */
    public PagingOptions withPageBytes(long bytes) {
        return new PagingOptions(poolTokens, policy, tau, bytes);
    }

    /** Checks the sizes. */
    public PagingOptions {
        Objects.requireNonNull(policy);
        if (poolTokens < PagePoolSizing.LEAST || poolTokens % PagePoolSizing.PAGE != 0) {
            throw new IllegalArgumentException(
                    "a pool needs whole pages of "
                            + PagePoolSizing.PAGE
                            + " tokens, at least "
                            + PagePoolSizing.LEAST
                            + " tokens, got "
                            + poolTokens);
        }
        if (tau < 1) {
            throw new IllegalArgumentException("tau must be positive, got " + tau);
        }
    }
}
