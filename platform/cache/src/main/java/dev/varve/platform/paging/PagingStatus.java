package dev.varve.platform.paging;

/**
 * How the attention cache of an engine's sequences is bounded, and what became of that.
 *
 * @param options how it is bounded
 * @param counts what became of pages so far
 * @param hostPages pages that lie in host memory now
 * @param hostBytes bytes of these, over all shards
 * @param residentPages pages that lie in pools now
 */
public record PagingStatus(
        PagingOptions options,
        PagingCounts counts,
        long hostPages,
        long hostBytes,
        long residentPages) {
    /** A cache of whose pools nothing is known. */
    public PagingStatus(
            PagingOptions options, PagingCounts counts, long hostPages, long hostBytes) {
        this(options, counts, hostPages, hostBytes, 0);
    }
}
