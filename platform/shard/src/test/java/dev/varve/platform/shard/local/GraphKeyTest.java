package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.TokenTree;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Optional;

/** Batches of one key are computed by one graph, so whatever a graph has fixed is in it. */
class GraphKeyTest {
    private static final KvSlotSpan SPAN = new KvSlotSpan(512, 1024);
    private static final TokenTree TREE = TokenTree.of(new int[] {-1, 0, 0});

    private static SequenceChunk chunk(ChunkPlacement place, int tokens) {
        return new SequenceChunk(7, new int[tokens], place, RequestedOutput.LAST);
    }

    private static ChunkPlacement place(int position) {
        return ChunkPlacement.next(position, SPAN, 3);
    }

    private static GraphKey key(Phase phase, AttendedKvRange window, SequenceChunk... chunks) {
        Batch batch = new Batch(List.of(chunks), phase);
        List<AttendedKvRange> full = batch.chunks().stream().map(AttendedKvRange::whole).toList();
        List<AttendedKvRange> windows = batch.chunks().stream().map(each -> window).toList();
        return GraphKey.of(new PlacedBatch(batch, full, windows), TreeEncoding.TreeMode.NOT_AT_ALL);
    }

    private static GraphKey key(SequenceChunk... chunks) {
        return key(Phase.PREFILL, AttendedKvRange.NONE, chunks);
    }

    @Test
    void tokensAndPositionsWithinTheSameBlocksHaveOneKey() {
        GraphKey key = key(chunk(place(10), 20));

        assertEquals(key, key(chunk(place(100), 20)));
        assertEquals(
                key,
                key(
                        new SequenceChunk(
                                8,
                                new int[] {
                                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                    19, 20
                                },
                                place(30),
                                RequestedOutput.LAST)));
        assertEquals(20, key.tokens());
        assertEquals(1, key.outputs());
    }

    @Test
    void differentReadsHaveDifferentKeys() {
        GraphKey key = key(chunk(place(10), 20));

        assertNotEquals(key, key(chunk(place(10), 21)), "tokens");
        assertNotEquals(key, key(chunk(place(250), 20)), "attended blocks");
        assertNotEquals(key, key(chunk(place(0), 20)), "the state of an empty sequence");
        assertNotEquals(
                key,
                key(chunk(ChunkPlacement.next(10, new KvSlotSpan(768, 1024), 3), 20)),
                "slots");
        assertNotEquals(key, key(chunk(ChunkPlacement.next(10, SPAN, 4), 20)), "state rows");
        assertNotEquals(
                key,
                key(new SequenceChunk(7, new int[20], place(10), RequestedOutput.NONE)),
                "outputs");
        assertNotEquals(
                key,
                key(
                        new SequenceChunk(
                                7,
                                new int[20],
                                place(10),
                                RequestedOutput.LAST,
                                ChunkComputeMode.PIECE)),
                "what it is computed as");
        assertNotEquals(
                key,
                key(Phase.PREFILL, new AttendedKvRange(0, 256, 256), chunk(place(10), 20)),
                "window");
        assertNotEquals(
                key, key(Phase.DECODE, AttendedKvRange.NONE, chunk(place(10), 20)), "phase");
    }

    @Test
    void decodeTokensAndSingleTokensAreRows() {
        GraphKey.ChunkShape chunk = key(chunk(place(10), 2)).parts().getFirst();
        GraphKey.ChunkShape single = key(chunk(place(10), 1)).parts().getFirst();
        GraphKey.ChunkShape decode =
                key(Phase.DECODE, AttendedKvRange.NONE, chunk(place(10), 2)).parts().getFirst();

        assertFalse(chunk.rows());
        assertTrue(single.rows());
        assertTrue(decode.rows());
    }

    /** Attention of one token over a window that does not begin with its sequence. */
    @Test
    void singleTokenBehindAWindowStartUsesPerHeadAttention() {
        AttendedKvRange moved = new AttendedKvRange(256, 0, 256);
        assertTrue(
                key(Phase.DECODE, moved, chunk(place(600), 1))
                        .parts()
                        .getFirst()
                        .window()
                        .byHeads());
        assertFalse(
                key(Phase.DECODE, moved, chunk(place(600), 2))
                        .parts()
                        .getFirst()
                        .window()
                        .byHeads());
        assertFalse(
                key(Phase.DECODE, AttendedKvRange.NONE, chunk(place(10), 1))
                        .parts()
                        .getFirst()
                        .window()
                        .byHeads());
    }

    @Test
    void chunksAddUp() {
        GraphKey key =
                key(
                        chunk(place(10), 5),
                        new SequenceChunk(
                                8,
                                new int[3],
                                ChunkPlacement.start(new KvSlotSpan(2048, 256), 5),
                                RequestedOutput.ALL));

        assertEquals(8, key.tokens());
        assertEquals(4, key.outputs());
        assertEquals(1, key.parts().get(0).outputs());
        assertEquals(3, key.parts().get(1).tokens());
    }

    private static GraphKey treeKey(TreeEncoding.TreeMode way, int rollbackBuffer) {
        SequenceChunk chunk =
                new SequenceChunk(
                        7,
                        new int[3],
                        new ChunkPlacement(10, SPAN, 3, 3, rollbackBuffer),
                        RequestedOutput.ALL,
                        ChunkComputeMode.ROWS,
                        TREE);
        Batch batch = new Batch(List.of(chunk), Phase.DECODE);
        return GraphKey.of(
                new PlacedBatch(
                        batch,
                        List.of(AttendedKvRange.whole(chunk)),
                        List.of(AttendedKvRange.NONE)),
                way);
    }

    @Test
    void treeIsInTheKeyWithoutATreeInput() {
        assertEquals(
                new TreeEncoding(false, TREE),
                treeKey(TreeEncoding.TreeMode.PATH_BY_PATH, 0)
                        .parts()
                        .getFirst()
                        .states()
                        .branching());
        assertEquals(
                new TreeEncoding(true, TokenTree.CHAIN),
                treeKey(TreeEncoding.TreeMode.BY_INPUT, 0).parts().getFirst().states().branching());
        assertEquals(
                TreeEncoding.NONE,
                treeKey(TreeEncoding.TreeMode.NOT_AT_ALL, 0)
                        .parts()
                        .getFirst()
                        .states()
                        .branching());
        assertTrue(
                treeKey(TreeEncoding.TreeMode.BY_INPUT, 0).parts().getFirst().states().isDrafted());
        assertFalse(key(chunk(place(10), 3)).parts().getFirst().states().isDrafted());
    }

    @ParameterizedTest
    @EnumSource(
            value = TreeEncoding.TreeMode.class,
            names = "NOT_AT_ALL",
            mode = EnumSource.Mode.EXCLUDE)
    void treeWithoutARollbackBufferIsRefused(TreeEncoding.TreeMode way) {
        assertThrows(
                IllegalArgumentException.class,
                () -> treeKey(way, ChunkPlacement.NO_ROLLBACK_BUFFER));
    }

    @Test
    void withoutStatesATreeNeedsNoRollbackBuffer() {
        assertFalse(
                treeKey(TreeEncoding.TreeMode.NOT_AT_ALL, ChunkPlacement.NO_ROLLBACK_BUFFER)
                        .parts()
                        .getFirst()
                        .states()
                        .branching()
                        .branches());
    }

    @Test
    void chainNeverBranches() {
        for (TreeEncoding.TreeMode way : TreeEncoding.TreeMode.values()) {
            assertEquals(TreeEncoding.NONE, TreeEncoding.of(TokenTree.CHAIN, way));
        }
        assertFalse(TreeEncoding.NONE.branches());
        assertTrue(TreeEncoding.of(TREE, TreeEncoding.TreeMode.BY_INPUT).branches());
        assertTrue(TreeEncoding.of(TREE, TreeEncoding.TreeMode.PATH_BY_PATH).branches());
    }

    @Test
    void statesWithoutADeviceOperatorAreComputedPerPath() {
        assertEquals(
                TreeEncoding.TreeMode.NOT_AT_ALL,
                TreeEncoding.TreeMode.of(List.of(), Optional.empty()));
        assertEquals(
                TreeEncoding.TreeMode.PATH_BY_PATH,
                TreeEncoding.TreeMode.of(
                        List.of(new LayerState.Recurrent(3, 8, 4, 1)), Optional.empty()));
    }

    @Test
    void viewMapsPositionsToSlots() {
        AttendedKvRange straight = new AttendedKvRange(256, 512, 256);
        assertEquals(44, straight.indexOf(300));
        assertEquals(556, straight.slotOf(300));

        SlotPositionMap positions = SlotPositionMap.of(new int[] {1, 4, SlotPositionMap.EMPTY});
        int page = positions.slotsUpTo(Integer.MAX_VALUE / 2) / 2;
        AttendedKvRange paged = new AttendedKvRange(0, 1024, 2 * page, positions);
        assertEquals(5, paged.indexOf(page + 5));
        assertEquals(page + 5, paged.indexOf(4 * page + 5));
        assertEquals(1024 + page + 5, paged.slotOf(4 * page + 5));
        assertThrows(
                IllegalArgumentException.class,
                () -> new AttendedKvRange(0, 0, 256, SlotPositionMap.of(new int[] {4, 1})));
    }
}
