package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.WindowRegionPositions;
import dev.varve.platform.shard.local.WindowSlotMap.ReadStart;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Places of windows against an array that knows which position lies in each slot. */
class WindowSlotMapTest {
    private static final int CHUNK = 512;
    private static final int CONTEXT = 8192;
    private static final int ROWS = 4;
    private static final KvSlotSpan SPAN = new KvSlotSpan(0, CONTEXT);

    /** Rows that are named by sequence and position. */
    private static final class Rows implements RowMover {
        private final long[] held;

        Rows(int slots) {
            held = new long[slots];
            Arrays.fill(held, -1);
        }

        @Override
        public void move(int from, int to, int count) {
            System.arraycopy(held, from, held, to, count);
        }

        static long name(long sequence, int position) {
            return sequence << 32 | position;
        }
    }

    private static SequenceChunk chunk(long sequence, int tokens, int first, int read, int write) {
        return new SequenceChunk(
                sequence,
                new int[tokens],
                new ChunkPlacement(first, SPAN, first == 0 ? SequenceChunk.ZERO_ROW : read, write),
                RequestedOutput.NONE);
    }

    private static int regionSlots(int window) {
        var shape = Shapes.of(8, 8, List.of(new LayerState.SlidingAttention(window, 1, 32, 32)));
        return CacheUnitBytes.of(shape, shape.allLayers(), CacheTypes.f16(), CHUNK, CONTEXT)
                .regionSlots();
    }

    static Stream<Arguments> windows() {
        return IntStream.of(1, 2, 255, 256, 257, 512, 1000, 4096)
                .boxed()
                .flatMap(
                        window ->
                                Arrays.stream(ReadStart.values())
                                        .map(readStart -> Arguments.of(window, readStart)));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void everyTokenFindsItsWindowWhateverTheChunksAre(int window, ReadStart readStart) {
        for (long seed = 0; seed < Effort.of(8, 30); seed++) {
            SplittableRandom random = new SplittableRandom(seed * 31 + window);
            int region = regionSlots(window);
            Rows rows = new Rows(region * (ROWS - 1));
            WindowSlotMap regions =
                    new WindowSlotMap(rows, OptionalInt.of(window), region, ROWS, readStart);
            int first = 0;
            int row = 1;
            while (first < CONTEXT) {
                // No chunk crosses a multiple of the longest chunk's length.
                int most = Math.min(CHUNK - first % CHUNK, CONTEXT - first);
                int tokens = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(most);
                int target = random.nextInt(4) == 0 ? 1 + random.nextInt(ROWS - 1) : row;

                AttendedKvRange range = regions.place(chunk(seed, tokens, first, row, target));

                String what = "window " + window + ", seed " + seed + ", position " + first;
                int begin = (target - 1) * region;
                assertTrue(
                        range.slot() >= begin && range.slot() + range.slots() <= begin + region,
                        what);
                assertEquals(0, range.slot() % KvSlotSpan.BLOCK, what);
                assertEquals(0, range.slots() % KvSlotSpan.BLOCK, what);
                for (int seen = Math.max(0, first - window + 1); seen < first; seen++) {
                    if (rows.held[range.slotOf(seen)] != Rows.name(seed, seen)) {
                        fail(what + ": another row at position " + seen);
                    }
                }
                for (int position = first; position < first + tokens; position++) {
                    assertTrue(range.slotOf(position) < range.slot() + range.slots(), what);
                    rows.held[range.slotOf(position)] = Rows.name(seed, position);
                }
                first += tokens;
                row = target;
            }
        }
    }

    /**
     * A device with its own memory launches the graph of a step again only if it stays the same.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100, 255, 256, 257, 512, 1000})
    void stepsReadTheSameSlotsUntilANewBlockBegins(int window) {
        int region = regionSlots(window);
        WindowSlotMap regions =
                new WindowSlotMap(
                        new Rows(region * (ROWS - 1)),
                        OptionalInt.of(window),
                        region,
                        ROWS,
                        ReadStart.SAME_WITHIN_BLOCK);
        AttendedKvRange before = regions.place(chunk(1, 40, 0, 1, 1));

        for (int first = 40; first < CONTEXT; first++) {
            AttendedKvRange range = regions.place(chunk(1, 1, first, 1, 1));

            if (first % KvSlotSpan.BLOCK != 0 && first > 40) {
                assertEquals(before, range, "window " + window + ", position " + first);
            }
            before = range;
        }
    }

    /** A sequence that continues from an import reads what it would have read without it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 256, 300, 1000})
    void stepsAfterAnImportReadAsManySlotsAsWithoutIt(int window) {
        int region = regionSlots(window);
        int end = region + 200;
        Rows rows = new Rows(region * (ROWS - 1));
        OptionalInt visible = OptionalInt.of(window);
        WindowSlotMap whole =
                new WindowSlotMap(rows, visible, region, ROWS, ReadStart.SAME_WITHIN_BLOCK);
        WindowSlotMap imported =
                new WindowSlotMap(rows, visible, region, ROWS, ReadStart.SAME_WITHIN_BLOCK);
        whole.place(chunk(1, 40, 0, 1, 1));
        for (int first = 40; first < end; first++) {
            whole.place(chunk(1, 1, first, 1, 1));
        }
        CachePart.Window part =
                window(1, new WindowRegionPositions(visible, region).first(end), end);
        int slot = imported.slotToWrite(part);
        imported.adopt(part);

        AttendedKvRange expected = whole.place(chunk(1, 1, end, 1, 1));
        AttendedKvRange range = imported.place(chunk(1, 1, end, 1, 1));

        assertEquals(expected.position(), range.position());
        assertEquals(expected.slots(), range.slots());
        assertEquals(slot, range.slotOf(part.first()));
    }

    @Test
    void forkKeepsTheRowsOfTheOther() {
        int region = regionSlots(300);
        Rows rows = new Rows(region * (ROWS - 1));
        WindowSlotMap regions = new WindowSlotMap(rows, OptionalInt.of(300), region, ROWS);
        AttendedKvRange whole = regions.place(chunk(1, 400, 0, 0, 1));
        for (int position = 0; position < 400; position++) {
            rows.held[whole.slotOf(position)] = Rows.name(1, position);
        }

        AttendedKvRange fork = regions.place(chunk(2, 1, 400, 1, 2));
        AttendedKvRange same = regions.place(chunk(1, 1, 400, 1, 1));

        for (int seen = 101; seen < 400; seen++) {
            assertEquals(Rows.name(1, seen), rows.held[fork.slotOf(seen)]);
            assertEquals(Rows.name(1, seen), rows.held[same.slotOf(seen)]);
        }
    }

    @Test
    void stepMissingInTheRowIsRefused() {
        WindowSlotMap regions =
                new WindowSlotMap(new Rows(3 * 768), OptionalInt.of(100), 768, ROWS);
        regions.place(chunk(1, 10, 0, 0, 1));

        for (SequenceChunk wrong :
                List.of(
                        chunk(1, 1, 11, 1, 1),
                        chunk(1, 1, 9, 1, 1),
                        chunk(1, 1, 10, 2, 1),
                        chunk(1, 1, 10, SequenceChunk.ZERO_ROW, 1))) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> regions.place(wrong));
            assertTrue(refusal.getMessage().contains("state row"), refusal.getMessage());
        }
    }

    @Test
    void chunkLargerThanARegionIsRefused() {
        WindowSlotMap regions =
                new WindowSlotMap(new Rows(3 * 512), OptionalInt.of(100), 512, ROWS);

        assertThrows(IllegalArgumentException.class, () -> regions.place(chunk(1, 513, 0, 0, 1)));
    }

    @Test
    void withoutSlidingLayersThereIsNoRegion() {
        WindowSlotMap regions =
                new WindowSlotMap(
                        (from, to, count) -> {
                            throw new AssertionError("nothing to move");
                        },
                        OptionalInt.empty(),
                        0,
                        ROWS);

        assertEquals(AttendedKvRange.NONE, regions.place(chunk(1, 10, 5, 1, 2)));
    }

    @Test
    void importedRegionContinuesBehindItsRows() {
        int region = regionSlots(300);
        Rows rows = new Rows(region * (ROWS - 1));
        WindowSlotMap regions = new WindowSlotMap(rows, OptionalInt.of(300), region, ROWS);
        CachePart.Window window = window(2, 1536, 2000);

        int slot = regions.slotToWrite(window);
        regions.adopt(window);

        assertEquals(region, slot, "the first slot of the second region");
        assertEquals(slot, regions.slotToRead(window));
        AttendedKvRange range = regions.place(chunk(1, 1, 2000, 2, 2));
        assertEquals(slot + 2000 - 1536, range.slotOf(2000));
    }

    @Test
    void windowIsReadInItsRegionWithRoomForEarlierRows() {
        int region = regionSlots(300);
        WindowSlotMap regions =
                new WindowSlotMap(new Rows(region * (ROWS - 1)), OptionalInt.of(300), region, ROWS);
        regions.place(chunk(1, 600, 0, 0, 1));

        assertEquals(256, regions.slotToRead(window(1, 256, 600)));
        assertEquals(0, regions.slotToRead(window(1, 0, 600)));
        assertEquals(256, regions.slotToWrite(window(1, 256, 600)));
        for (CachePart.Window wrong : List.of(window(1, 256, 599), window(3, 256, 600))) {
            assertThrows(VarveException.class, () -> regions.slotToRead(wrong));
        }
        for (CachePart.Window wrong :
                List.of(window(1, 0, 600), window(1, 512, 600), window(1, 512, 20_000))) {
            assertThrows(VarveException.class, () -> regions.slotToWrite(wrong));
        }
    }

    private static CachePart.Window window(int row, int first, int end) {
        RowLayout layout = new RowLayout(GgmlType.F16, 8, GgmlType.F16, 8);
        return new CachePart.Window(1, layout, row, first, end);
    }

    /** Masks against the sentence that says what a token sees. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 300, Integer.MAX_VALUE})
    void tokenSeesItselfAndTheWindowBeforeIt(int window) {
        for (long seed = 0; seed < Effort.of(15, 50); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int first = random.nextInt(700);
            int tokens = 1 + random.nextInt(5);
            int from = Math.max(0, first - window + 1) / KvSlotSpan.BLOCK * KvSlotSpan.BLOCK;
            AttendedKvRange range =
                    new AttendedKvRange(from, 1024, KvSlotSpan.roundUp(first + tokens) - from);
            int rows = tokens + random.nextInt(3);
            short[] mask = new short[rows * range.slots() + 3];

            new CausalMask(window).fill(mask, chunk(1, tokens, first, 1, 1), range, rows);

            for (int row = 0; row < rows; row++) {
                int position = first + Math.min(row, tokens - 1);
                for (int slot = 0; slot < range.slots(); slot++) {
                    int there = from + slot;
                    boolean seen = there <= position && (long) position - there < window;
                    int query = row;
                    assertEquals(
                            seen ? CausalMask.VISIBLE : CausalMask.MASKED,
                            mask[row * range.slots() + slot],
                            () -> "window " + window + ", row " + query + ", position " + there);
                }
            }
        }
    }
}
