package dev.varve.platform.paging;

/**
 * Bound of the KV caches of an engine's sequences, with statistics.
 *
 * @param options the bound
 * @param counts statistics of pages so far
 * @param hostPages pages that are in host memory now
 * @param hostBytes bytes of these, over all shards
 * @param residentPages pages that are in pools now
 */
public record PagingStatus(
        PagingOptions options,
        PagingCounts counts,
        long hostPages,
        long hostBytes,
        long residentPages) {
    /** Creates a status without a number of resident pages. */
    public PagingStatus(
            PagingOptions options, PagingCounts counts, long hostPages, long hostBytes) {
        this(options, counts, hostPages, hostBytes, 0);
    }
}
