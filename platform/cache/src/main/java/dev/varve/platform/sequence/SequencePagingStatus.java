package dev.varve.platform.sequence;

import dev.varve.platform.paging.PagingCounts;

/**
 * Statistics of the pages of a sequence.
 *
 * @param counts since its beginning
 * @param resident pages in its span
 * @param onHost pages in host memory only
 */
public record SequencePagingStatus(PagingCounts counts, int resident, int onHost) {}
