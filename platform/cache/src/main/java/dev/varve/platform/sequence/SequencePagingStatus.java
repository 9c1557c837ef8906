package dev.varve.platform.sequence;

import dev.varve.platform.paging.PagingCounts;

/**
 * What became of the pages of a sequence.
 *
 * @param counts since it began
 * @param resident pages that lie in its span
 * @param onHost pages that lie in host memory alone
 */
public record SequencePagingStatus(PagingCounts counts, int resident, int onHost) {}
