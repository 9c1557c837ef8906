package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.SequenceChunk;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/** How a batch falls into columns that are computed alike. */
class ColumnRunTest {
    private static final WindowSlotMap NO_WINDOWS =
            new WindowSlotMap((from, to, count) -> {}, OptionalInt.empty(), 0, 64);

    private static Batch random(SplittableRandom random) {
        List<SequenceChunk> chunks = new ArrayList<>();
        int row = 1;
        for (int i = 0; i <= random.nextInt(6); i++) {
            int tokens = random.nextBoolean() ? 1 : 1 + random.nextInt(4);
            row += 1 + random.nextInt(2);
            chunks.add(
                    new SequenceChunk(
                            i,
                            new int[tokens],
                            ChunkPlacement.next(
                                    random.nextInt(2) * 10,
                                    new KvSlotSpan(i * KvSlotSpan.BLOCK, KvSlotSpan.BLOCK),
                                    row),
                            RequestedOutput.values()[random.nextInt(4)]));
        }
        return new Batch(chunks, random.nextBoolean() ? Phase.DECODE : Phase.PREFILL);
    }

    private static GraphKey key(Batch batch) {
        return GraphKey.of(PlacedBatch.place(batch, NO_WINDOWS), TreeEncoding.TreeMode.NOT_AT_ALL);
    }

    @Test
    void runsCoverEveryColumnOnceAndRowsAreNeverAdjacent() {
        for (long seed = 0; seed < 500; seed++) {
            Batch batch = random(new SplittableRandom(seed));

            requireCover(ColumnRun.ofTokens(key(batch)), batch.tokens(), "seed " + seed);
            requireCover(ColumnRun.ofOutputs(key(batch)), batch.outputs(), "seed " + seed);
        }
    }

    private static void requireCover(List<ColumnRun> runs, int columns, String what) {
        int next = 0;
        boolean rows = false;
        for (ColumnRun run : runs) {
            assertEquals(next, run.first(), what);
            assertTrue(run.count() > 0, what);
            assertTrue(!(rows && run.rows()), what + ": two runs of rows that could be one");
            next += run.count();
            rows = run.rows();
        }
        assertEquals(columns, next, what);
    }

    @Test
    void everyDecodeTokenIsARow() {
        SequenceChunk three =
                new SequenceChunk(
                        1,
                        new int[3],
                        ChunkPlacement.start(new KvSlotSpan(0, KvSlotSpan.BLOCK), 1),
                        RequestedOutput.ALL);

        List<ColumnRun> decode = ColumnRun.ofTokens(key(new Batch(List.of(three), Phase.DECODE)));
        List<ColumnRun> prefill =
                ColumnRun.ofTokens(key(new Batch(List.of(three, three), Phase.PREFILL)));

        assertEquals(List.of(new ColumnRun(0, 3, true)), decode);
        assertEquals(List.of(new ColumnRun(0, 3, false), new ColumnRun(3, 3, false)), prefill);
    }

    @Test
    void singleOutputColumnOfAChunkIsComputedLikeARow() {
        SequenceChunk chunk =
                new SequenceChunk(
                        1,
                        new int[9],
                        ChunkPlacement.start(new KvSlotSpan(0, KvSlotSpan.BLOCK), 1),
                        RequestedOutput.LAST);

        assertEquals(
                List.of(new ColumnRun(0, 1, true)),
                ColumnRun.ofOutputs(key(new Batch(List.of(chunk), Phase.PREFILL))));
    }

    @Test
    void groupsCoverEveryChunkOnceWithItsRows() {
        for (long seed = 0; seed < 500; seed++) {
            Batch batch = random(new SplittableRandom(seed));
            List<SequenceChunk> chunks = batch.chunks();

            int index = 0;
            int column = 0;
            for (UniformLengthGroup group : UniformLengthGroup.of(key(batch))) {
                assertEquals(column, group.firstColumn(), "seed " + seed);
                for (int i = 0; i < group.sequences(); i++) {
                    SequenceChunk member = chunks.get(index++);
                    assertEquals(group.tokens(), member.tokens().length, "seed " + seed);
                    assertEquals(group.readRow() + i, member.readRow(), "seed " + seed);
                    assertEquals(group.writeRow() + i, member.writeRow(), "seed " + seed);
                    column += member.tokens().length;
                }
            }
            assertEquals(chunks.size(), index, "seed " + seed);
        }
    }

    @Test
    void keyDependsOnShapeAndPlacementButNotOnTokens() {
        KvSlotSpan span = new KvSlotSpan(0, 2 * KvSlotSpan.BLOCK);
        Batch one = step(new int[] {1}, 5, span, 1);

        assertEquals(key(one), key(step(new int[] {2}, 6, span, 1)));
        assertEquals(1, key(one).tokens());
        assertEquals(1, key(one).outputs());
        for (Batch other :
                List.of(
                        step(new int[] {1, 2}, 5, span, 1),
                        step(new int[] {1}, KvSlotSpan.BLOCK, span, 1),
                        step(
                                new int[] {1},
                                5,
                                new KvSlotSpan(KvSlotSpan.BLOCK, KvSlotSpan.BLOCK),
                                1),
                        step(new int[] {1}, 5, span, 2))) {
            assertNotEquals(key(one), key(other));
        }
    }

    private static Batch step(int[] tokens, int first, KvSlotSpan span, int row) {
        return new Batch(
                List.of(
                        new SequenceChunk(
                                1,
                                tokens,
                                ChunkPlacement.next(first, span, row),
                                RequestedOutput.BEST)),
                Phase.DECODE);
    }

    @Test
    void singleTokenBehindAWindowStartUsesPerHeadAttention() {
        WindowSlotMap windows =
                new WindowSlotMap((from, to, count) -> {}, OptionalInt.of(100), 768, 4);
        KvSlotSpan span = new KvSlotSpan(0, 5 * KvSlotSpan.BLOCK);
        RowLayout layout = new RowLayout(GgmlType.F16, 8, GgmlType.F16, 8);
        windows.adopt(new CachePart.Window(0, layout, 1, 768, 1024));

        Batch late = step(new int[] {1}, 1024, span, 1);
        GraphKey.ChunkShape part =
                GraphKey.of(PlacedBatch.place(late, windows), TreeEncoding.TreeMode.NOT_AT_ALL)
                        .parts()
                        .getFirst();

        assertTrue(part.window().byHeads());
        assertTrue(!part.full().byHeads());
        assertEquals(1280, part.full().slots());
    }
}
