package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

/** The pages of each chunk that a graph computes have the order of their positions. */
class TemporaryPositionOrderTest {
    private static final int PAGE = SlotPositionMap.of(new int[] {0}).slotsUpTo(0);
    private static final int RUNS = 4;

    private static SequenceChunk chunk(int position, int... pages) {
        KvSlotSpan span = new KvSlotSpan(1024, RUNS * PAGE);
        return new SequenceChunk(
                7,
                new int[] {3, 4},
                new ChunkPlacement(position, span, 2, 5, 1, SlotPositionMap.of(pages)),
                RequestedOutput.ALL,
                ChunkComputeMode.ROWS);
    }

    @Test
    void orderedBatchIsUnchanged() {
        Batch batch =
                new Batch(
                        List.of(
                                chunk(5 * PAGE, 0, 2, 5, SlotPositionMap.EMPTY),
                                new SequenceChunk(
                                        8,
                                        new int[1],
                                        ChunkPlacement.start(new KvSlotSpan(0, 256), 1),
                                        RequestedOutput.LAST)),
                        Phase.DECODE);

        assertSame(batch, TemporaryPositionOrder.of(batch).batch());
    }

    @Test
    void pagesAreSortedWithEmptyRunsLast() {
        SequenceChunk mixed = chunk(5 * PAGE, 5, SlotPositionMap.EMPTY, 0, 3);
        SequenceChunk sorted = chunk(PAGE, 0, 1, 2, 3);
        Batch batch = new Batch(List.of(mixed, sorted), Phase.DECODE, List.of(2));

        Batch ordered = TemporaryPositionOrder.of(batch).batch();

        SequenceChunk first = ordered.chunks().getFirst();
        assertEquals(
                SlotPositionMap.of(new int[] {0, 3, 5, SlotPositionMap.EMPTY}),
                first.place().positions());
        assertEquals(mixed.sequence(), first.sequence());
        assertEquals(true, Arrays.equals(mixed.tokens(), first.tokens()));
        assertEquals(mixed.slots(), first.slots());
        assertEquals(mixed.firstPosition(), first.firstPosition());
        assertEquals(mixed.readRow(), first.readRow());
        assertEquals(mixed.writeRow(), first.writeRow());
        assertEquals(mixed.place().rollbackBuffer(), first.place().rollbackBuffer());
        assertEquals(mixed.outputs(), first.outputs());
        assertEquals(mixed.kind(), first.kind());
        assertSame(sorted, ordered.chunks().get(1));
        assertEquals(batch.captures(), ordered.captures());
        assertEquals(batch.phase(), ordered.phase());
    }
}
