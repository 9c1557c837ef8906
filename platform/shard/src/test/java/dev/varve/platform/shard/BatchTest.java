package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

class BatchTest {
    private static final KvSlotSpan SPAN = new KvSlotSpan(KvSlotSpan.BLOCK, 2 * KvSlotSpan.BLOCK);

    private static SequenceChunk chunk(int tokens, int first, RequestedOutput outputs) {
        return new SequenceChunk(7, new int[tokens], ChunkPlacement.next(first, SPAN, 3), outputs);
    }

    @Test
    void batchWithoutChunksIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Batch(List.of(), Phase.DECODE));
    }

    @Test
    void tokensAndOutputsAreTheSumsOverTheChunks() {
        SplittableRandom random = new SplittableRandom(4711);
        for (int round = 0; round < 200; round++) {
            List<SequenceChunk> chunks = new ArrayList<>();
            int tokens = 0;
            int outputs = 0;
            for (int i = 0; i <= random.nextInt(5); i++) {
                RequestedOutput wanted = RequestedOutput.values()[random.nextInt(4)];
                int length = 1 + random.nextInt(200);
                chunks.add(chunk(length, random.nextInt(300), wanted));
                tokens += length;
                outputs +=
                        wanted == RequestedOutput.NONE
                                ? 0
                                : wanted == RequestedOutput.ALL ? length : 1;
            }

            Batch batch = new Batch(chunks, Phase.PREFILL);

            assertEquals(tokens, batch.tokens(), chunks.toString());
            assertEquals(outputs, batch.outputs(), chunks.toString());
        }
    }

    @Test
    void batchCopiesItsLists() {
        List<SequenceChunk> chunks = new ArrayList<>(List.of(chunk(1, 0, RequestedOutput.BEST)));
        List<Integer> captures = new ArrayList<>(List.of(1));
        Batch batch = new Batch(chunks, Phase.DECODE, captures);

        chunks.clear();
        captures.clear();

        assertEquals(1, batch.chunks().size());
        assertEquals(List.of(1), batch.captures());
        assertTrue(batch.changes().copies().isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "513, 0", "1, 512", "512, 1", "2, 2147483647"})
    void chunkThatDoesNotFitItsSpanIsRefused(int tokens, int first) {
        assertThrows(
                IllegalArgumentException.class, () -> chunk(tokens, first, RequestedOutput.NONE));
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 256", "256, 0, 256", "1, 256, 512", "512, 0, 512", "1, 255, 256"})
    void attentionReadsWholeBlocksUpToTheLastPosition(int tokens, int first, int slots) {
        assertEquals(slots, chunk(tokens, first, RequestedOutput.NONE).attendedSlots());
    }

    @ParameterizedTest
    @EnumSource
    void outputRowsFollowTheRequestedOutputs(RequestedOutput outputs) {
        SequenceChunk chunk = chunk(5, 2, outputs);

        assertEquals(outputs.count(5), chunk.outputCount());
    }

    @Test
    void sequenceStartsWithTheZeroStateAndContinuesWithItsOwn() {
        ChunkPlacement start = ChunkPlacement.next(0, SPAN, 4);
        ChunkPlacement later = ChunkPlacement.next(9, SPAN, 4);

        assertEquals(ChunkPlacement.start(SPAN, 4), start);
        assertEquals(new ChunkPlacement(0, SPAN, SequenceChunk.ZERO_ROW, 4), start);
        assertEquals(new ChunkPlacement(9, SPAN, 4, 4), later);
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 1", "0, -1, 1", "0, 0, 0", "0, 1, -1"})
    void placementsOutOfRangeAreRefused(int first, int read, int write) {
        assertThrows(
                IllegalArgumentException.class, () -> new ChunkPlacement(first, SPAN, read, write));
    }

    @Test
    void chunkReportsItsPlacement() {
        SequenceChunk chunk =
                new SequenceChunk(
                        1,
                        new int[] {5, 6},
                        new ChunkPlacement(3, SPAN, 2, 4),
                        RequestedOutput.LAST);

        assertEquals(3, chunk.firstPosition());
        assertEquals(SPAN, chunk.slots());
        assertEquals(2, chunk.readRow());
        assertEquals(4, chunk.writeRow());
        assertFalse(chunk.equals(chunk(2, 3, RequestedOutput.LAST)));
    }

    private static Batch asking(int chunk) {
        return new Batch(
                CacheChanges.NONE,
                List.of(chunk(1, 0, RequestedOutput.NONE), chunk(1, 5, RequestedOutput.BEST)),
                Phase.DECODE,
                List.of(),
                List.of(new PageQuery(chunk, List.of())));
    }

    @Test
    void queryForAMissingChunkIsRefused() {
        assertEquals(1, asking(1).queries().getFirst().chunkIndex());
        assertThrows(IndexOutOfBoundsException.class, () -> asking(2));
        assertThrows(IllegalArgumentException.class, () -> asking(-1));
    }

    private static SequenceChunk paged(int tokens, int first, int... pages) {
        ChunkPlacement place =
                new ChunkPlacement(
                        first,
                        SPAN,
                        3,
                        3,
                        ChunkPlacement.NO_ROLLBACK_BUFFER,
                        SlotPositionMap.of(pages));
        return new SequenceChunk(7, new int[tokens], place, RequestedOutput.NONE);
    }

    /** The span of 512 slots has 8 pages, of which those of the tokens must be some. */
    @Test
    void chunkNeedsOnlyThePagesOfItsTokens() {
        assertEquals(256, paged(2, 640, -1, 3, -1, -1, -1, 10, -1, -1).attendedSlots());
        assertEquals(256, paged(66, 767, -1, 13, 12, -1, -1, 11, -1, -1).attendedSlots());
        assertEquals(512, paged(512, 640, 17, 16, 15, 14, 13, 12, 11, 10).attendedSlots());
        for (Runnable wrong :
                List.<Runnable>of(
                        () -> paged(2, 703, -1, 3, -1, -1, -1, 10, -1, -1),
                        () -> paged(66, 767, -1, 13, -1, -1, -1, 11, -1, -1),
                        () -> paged(1, 0, -1, 3, -1, -1, -1, 10, -1, -1),
                        () -> paged(513, 640, 17, 16, 15, 14, 13, 12, 11, 10),
                        () -> paged(1, 640, -1, 3, -1, 10),
                        () -> paged(1, 640, -1, 3, -1, 10, -1, -1, -1, -1, -1))) {
            assertThrows(IllegalArgumentException.class, wrong::run);
        }
    }

    /** As many as if they lay in their order; those behind the chunk's last position aside. */
    @Test
    void chunkAttendsToResidentPagesAnywhere() {
        assertEquals(256, paged(2, 640, 0, 3, 4, 10, -1, -1, -1, -1).attendedSlots());
        assertEquals(512, paged(2, 640, 0, 3, 4, 5, 10, -1, -1, -1).attendedSlots());
        assertEquals(512, paged(2, 640, -1, 5, 0, 10, -1, 3, 4, -1).attendedSlots());
        assertEquals(256, paged(2, 640, 0, 3, 4, 10, 11, 12, -1, -1).attendedSlots());
        assertEquals(256, paged(2, 254, 0, 1, 2, 3, -1, -1, -1, -1).attendedSlots());
        assertEquals(
                new SequenceChunk(
                                7,
                                new int[2],
                                ChunkPlacement.next(254, SPAN, 3),
                                RequestedOutput.NONE)
                        .attendedSlots(),
                paged(2, 254, 0, 1, 2, 3, -1, -1, -1, -1).attendedSlots());
    }

    @Test
    void movedSlotsAreThoseOfCopiesAndPagesButNotOfDrops() {
        CacheChanges changes =
                new CacheChanges(
                        List.of(),
                        List.of(
                                new KvSlotCopy(0, 512, 5),
                                PageMove.out(1, 0),
                                PageMove.in(2, 64),
                                new HostPageFree(1)));

        assertEquals(5 + 2 * Pages.TOKENS, changes.movedSlots());
        assertEquals(List.of(new KvSlotCopy(0, 512, 5)), changes.copies());
        assertFalse(changes.isEmpty());
        assertFalse(new CacheChanges(List.of(), List.of(new HostPageFree(1))).isEmpty());
    }
}
