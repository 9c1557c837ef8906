package dev.varve.platform.shard.local;

import java.util.ArrayList;
import java.util.List;

/**
 * Adjacent chunks of a batch that one recurrent operator can process together: of equal length,
 * with consecutive state rows, and consecutive rollback buffers if they are drafted. ggml's
 * operators require sequences of equal length and one block of states; views give both without a
 * copy.
 *
 * @param firstPart index of the first chunk
 * @param firstColumn column of the first token
 * @param sequences number of chunks
 * @param tokens tokens of each
 * @param states of the first chunk; those of the others follow
 */
record UniformLengthGroup(
        int firstPart, int firstColumn, int sequences, int tokens, GraphKey.StateUse states) {
    /** Creates a group of a single chunk, without its place in a batch. */
    static UniformLengthGroup alone(int tokens, GraphKey.StateUse states) {
        return new UniformLengthGroup(0, 0, 1, tokens, states);
    }

    int readRow() {
        return states.readRow();
    }

    int writeRow() {
        return states.writeRow();
    }

    int rollbackBuffer() {
        return states.rollbackBuffer();
    }

    boolean isDrafted() {
        return states.isDrafted();
    }

    TreeEncoding branching() {
        return states.branching();
    }

    static List<UniformLengthGroup> of(GraphKey key) {
        List<UniformLengthGroup> groups = new ArrayList<>();
        int column = 0;
        for (int i = 0; i < key.parts().size(); i++) {
            GraphKey.ChunkShape part = key.parts().get(i);
            UniformLengthGroup last = groups.isEmpty() ? null : groups.getLast();
            if (last != null && last.isFollowedBy(part)) {
                groups.set(
                        groups.size() - 1,
                        new UniformLengthGroup(
                                last.firstPart,
                                last.firstColumn,
                                last.sequences + 1,
                                last.tokens,
                                last.states));
            } else {
                groups.add(new UniformLengthGroup(i, column, 1, part.tokens(), part.states()));
            }
            column += part.tokens();
        }
        return groups;
    }

    /** Whether a chunk of the group writes a row, which a later chunk of its sequence reads. */
    private boolean isWritten(int row) {
        return row >= writeRow() && row < writeRow() + sequences;
    }

    private boolean isFollowedBy(GraphKey.ChunkShape part) {
        return part.tokens() == tokens
                && !isWritten(part.states().readRow())
                && part.states().readRow() == readRow() + sequences
                && part.states().writeRow() == writeRow() + sequences
                && part.states().isDrafted() == isDrafted()
                && part.states().branching().equals(branching())
                // Path by path, each tree has its own group.
                && branching().tree().isChain()
                && (!isDrafted() || part.states().rollbackBuffer() == rollbackBuffer() + sequences);
    }
}
