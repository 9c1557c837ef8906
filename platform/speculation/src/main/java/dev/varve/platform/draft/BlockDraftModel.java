package dev.varve.platform.draft;

import java.util.List;

/**
 * A draft network in memory, which keeps context rows of sequences and guesses blocks of tokens.
 */
interface BlockDraftModel extends AutoCloseable {
    /** Cache row of a context position. */
    long contextRow(int region, int position);

    /** Makes context rows of hidden states. */
    void takeIn(PendingHiddenStates states);

    /**
     * Guesses.
     *
     * @param regions one for each block
     * @param branches whether it is wanted what else each slot may be; not given where the device
     *     does not compute it
     */
    List<BlockDraftGraph.Found> guess(
            List<Integer> regions, List<BlockDraftGraph.Block> asked, boolean branches);

    /** Bytes in use but those in a mapped file. */
    long bytes();

    @Override
    void close();
}
