package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.TokenTree;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class UniformLengthGroupTest {
    @Test
    void neighboursOfEqualLengthAndConsecutiveRowsAreGrouped() {
        GraphKey key =
                new GraphKey(List.of(part(1, 3, 3), part(1, 4, 4), part(1, 6, 6), part(1, 7, 7)));

        assertEquals(
                List.of(group(0, 0, 2, 1, 3, 3), group(2, 2, 2, 1, 6, 6)),
                UniformLengthGroup.of(key));
    }

    @Test
    void groupedLengthsAndWrittenRowsMustMatch() {
        GraphKey key = new GraphKey(List.of(part(2, 1, 1), part(1, 2, 2), part(1, 3, 9)));

        assertEquals(
                List.of(group(0, 0, 1, 2, 1, 1), group(1, 2, 1, 1, 2, 2), group(2, 3, 1, 1, 3, 9)),
                UniformLengthGroup.of(key));
    }

    /** Such a chunk continues a sequence after a checkpoint. */
    @Test
    void aChunkThatReadsAWrittenRowBeginsAGroup() {
        GraphKey key = new GraphKey(List.of(part(2, 3, 4), part(2, 4, 5), part(2, 5, 6)));

        assertEquals(3, UniformLengthGroup.of(key).size());
    }

    @Test
    void draftedChunksAreGroupedIfTheirRollbackBuffersFollow() {
        GraphKey key =
                new GraphKey(
                        List.of(
                                part(4, states(1, 1, 0)),
                                part(4, states(2, 2, 1)),
                                part(4, states(3, 3, 3)),
                                part(4, states(4, 4, ChunkPlacement.NO_ROLLBACK_BUFFER))));

        assertEquals(
                List.of(
                        new UniformLengthGroup(0, 0, 2, 4, states(1, 1, 0)),
                        new UniformLengthGroup(2, 8, 1, 4, states(3, 3, 3)),
                        new UniformLengthGroup(
                                3, 12, 1, 4, states(4, 4, ChunkPlacement.NO_ROLLBACK_BUFFER))),
                UniformLengthGroup.of(key));
    }

    /** A group contains several trees, except trees that a shard computes path by path. */
    @Test
    void treesAreGroupedWithATreeInput() {
        TokenTree tree = TokenTree.of(new int[] {-1, 0, 0, 1});
        List<GraphKey.ChunkShape> parts = new ArrayList<>();
        for (TreeEncoding.TreeMode way : TreeEncoding.TreeMode.values()) {
            for (int i = 0; i < 2; i++) {
                int row = 1 + parts.size();
                parts.add(
                        part(
                                4,
                                new GraphKey.StateUse(
                                        row, row, parts.size(), TreeEncoding.of(tree, way))));
            }
        }

        List<UniformLengthGroup> groups = UniformLengthGroup.of(new GraphKey(parts));

        assertEquals(
                List.of(2, 2, 1, 1), groups.stream().map(UniformLengthGroup::sequences).toList());
        assertEquals(
                List.of(0, 2, 4, 5), groups.stream().map(UniformLengthGroup::firstPart).toList());
    }

    private static UniformLengthGroup group(
            int part, int column, int sequences, int tokens, int readRow, int writeRow) {
        return new UniformLengthGroup(
                part,
                column,
                sequences,
                tokens,
                states(readRow, writeRow, ChunkPlacement.NO_ROLLBACK_BUFFER));
    }

    private static GraphKey.StateUse states(int readRow, int writeRow, int rollbackBuffer) {
        return new GraphKey.StateUse(readRow, writeRow, rollbackBuffer);
    }

    private static GraphKey.ChunkShape part(int tokens, int readRow, int writeRow) {
        return part(tokens, states(readRow, writeRow, ChunkPlacement.NO_ROLLBACK_BUFFER));
    }

    private static GraphKey.ChunkShape part(int tokens, GraphKey.StateUse states) {
        return new GraphKey.ChunkShape(
                new GraphKey.Columns(
                        tokens, 1, tokens == 1 ? ChunkComputeMode.ROWS : ChunkComputeMode.CHUNK),
                new GraphKey.Attended(0, 256, false),
                new GraphKey.Attended(0, 0, false),
                states);
    }
}
