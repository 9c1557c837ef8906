package dev.varve.platform.draft;

import java.util.List;

/** A draft network in memory, with the context rows of sequences; it drafts blocks of tokens. */
interface BlockDraftModel extends AutoCloseable {
    /** Cache row of a context position. */
    long contextRow(int region, int position);

    /** Computes context rows from hidden states. */
    void addFeatures(PendingHiddenStates states);

    /**
     * Drafts blocks of tokens.
     *
     * @param regions one for each block
     * @param branches whether other candidates of each slot are requested; they are missing if the
     *     device does not support them
     */
    List<BlockDraftGraph.BlockDraft> draft(
            List<Integer> regions, List<BlockDraftGraph.Block> asked, boolean branches);

    /** Bytes in use, without those in a mapped file. */
    long bytes();

    @Override
    void close();
}
