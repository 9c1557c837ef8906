package dev.varve.platform.shard.local;

import java.util.ArrayList;
import java.util.List;

/**
 * Neighbouring slices of a batch that one recurrent operator can take together: of equal length,
 * with state rows, and stashes if they are drafted, that follow each other. ggml's operators want
 * sequences of equal length and one block of states; views give both without a copy.
 *
 * @param firstColumn column of the first token
 * @param sequences number of slices
 * @param tokens tokens of each
 * @param states of the first slice; those of the others follow
 */
record RaggedGroup(int firstColumn, int sequences, int tokens, GraphKey.StateUse states) {
    int readRow() {
        return states.readRow();
    }

    int writeRow() {
        return states.writeRow();
    }

    int stash() {
        return states.stash();
    }

    boolean isDrafted() {
        return states.isDrafted();
    }

    static List<RaggedGroup> of(GraphKey key) {
        List<RaggedGroup> groups = new ArrayList<>();
        int column = 0;
        for (GraphKey.Part part : key.parts()) {
            RaggedGroup last = groups.isEmpty() ? null : groups.getLast();
            if (last != null && last.isFollowedBy(part)) {
                groups.set(
                        groups.size() - 1,
                        new RaggedGroup(
                                last.firstColumn, last.sequences + 1, last.tokens, last.states));
            } else {
                groups.add(new RaggedGroup(column, 1, part.tokens(), part.states()));
            }
            column += part.tokens();
        }
        return groups;
    }

    private boolean isFollowedBy(GraphKey.Part part) {
        return part.tokens() == tokens
                && part.states().readRow() == readRow() + sequences
                && part.states().writeRow() == writeRow() + sequences
                && part.states().isDrafted() == isDrafted()
                && (!isDrafted() || part.states().stash() == stash() + sequences);
    }
}
