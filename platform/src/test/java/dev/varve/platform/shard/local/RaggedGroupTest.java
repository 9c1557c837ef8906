package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.shard.SliceKind;

import org.junit.jupiter.api.Test;

import java.util.List;

class RaggedGroupTest {
    @Test
    void neighboursOfEqualLengthAndFollowingRowsAreTakenTogether() {
        GraphKey key =
                new GraphKey(List.of(part(1, 3, 3), part(1, 4, 4), part(1, 6, 6), part(1, 7, 7)));

        assertEquals(
                List.of(new RaggedGroup(0, 2, 1, 3, 3), new RaggedGroup(2, 2, 1, 6, 6)),
                RaggedGroup.of(key));
    }

    @Test
    void lengthsAndWrittenRowsMustMatchToo() {
        GraphKey key = new GraphKey(List.of(part(2, 1, 1), part(1, 2, 2), part(1, 3, 9)));

        assertEquals(
                List.of(
                        new RaggedGroup(0, 1, 2, 1, 1),
                        new RaggedGroup(2, 1, 1, 2, 2),
                        new RaggedGroup(3, 1, 1, 3, 9)),
                RaggedGroup.of(key));
    }

    private static GraphKey.Part part(int tokens, int readRow, int writeRow) {
        return new GraphKey.Part(
                new GraphKey.Columns(tokens, 1, tokens == 1 ? SliceKind.ROWS : SliceKind.CHUNK),
                new GraphKey.Attended(0, 256, false),
                new GraphKey.Attended(0, 0, false),
                new GraphKey.StateUse(readRow, writeRow));
    }
}
