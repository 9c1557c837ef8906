package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.PageQuery.PagePlace;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SlotPositionMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** One table in a span of 8 pages, with a sink and a tail of 4 pages. */
class PageTableTest {
    private static final int PAGE = PagePoolSizing.PAGE;
    private static final int POOL = 512;
    private static final int RUNS = POOL / PAGE;
    private static final int BEGIN = 1024;
    private static final long BYTES = 1000;

    private final PageContentRegistry pageContents = new PageContentRegistry();
    private final PageTable table = table(RUNS);
    private final List<KvRowOperation> moves = new ArrayList<>();

    private PageTable table(int runs) {
        PageTable made = new PageTable(pageContents, BYTES);
        made.growTo(runs);
        return made;
    }

    /** Allocates positions, and gives the slot of the first in the span. */
    private int allocate(int first, int end) {
        table.allocate(first, end, BEGIN, moves::add);
        return table.slot(first);
    }

    private int[] resident() {
        return resident(table);
    }

    private static int[] resident(PageTable table) {
        return IntStream.range(0, 100).filter(page -> table.slot(page * PAGE) >= 0).toArray();
    }

    private List<KvRowOperation> takeMoves() {
        List<KvRowOperation> taken = List.copyOf(moves);
        moves.clear();
        return taken;
    }

    /** Pages that move together to another run. */
    private static KvSlotCopy shift(int from, int to, int pages) {
        return new KvSlotCopy(BEGIN + from * PAGE, BEGIN + to * PAGE, pages * PAGE);
    }

    private List<Integer> slots(PageMove.Direction direction) {
        return moves.stream()
                .filter(PageMove.class::isInstance)
                .map(PageMove.class::cast)
                .filter(move -> move.direction() == direction)
                .map(PageMove::slot)
                .toList();
    }

    @Test
    void positionsAreInOrderWhileTheyFit() {
        allocate(0, 300);
        allocate(300, POOL);

        for (int position = 0; position < POOL; position++) {
            assertEquals(position, table.slot(position));
        }
        assertTrue(table.isStraight());
        assertEquals(SlotPositionMap.STRAIGHT, table.map());
        assertEquals(PageResidency.STRAIGHT, table.residency());
        assertEquals(List.of(), moves);
        assertEquals(List.of(RowRun.inSlots(100, 400, BEGIN + 100)), table.rows(100, 400, BEGIN));
        assertEquals(-1, table.slot(POOL));
    }

    /** The order in which the pages of a pool of 512 leave it where the oldest goes first. */
    @Test
    void firstPositionsBeyondThePoolEvictTheOldestPages() {
        allocate(0, POOL);

        assertEquals(448, allocate(512, 513));
        assertEquals(List.of(PageMove.out(2, BEGIN + 64), shift(2, 1, 6)), takeMoves());
        assertFalse(table.isStraight());
        assertEquals(-1, table.slot(64));
        assertEquals(0, table.slot(0));
        assertEquals(449, allocate(513, 514));
        assertEquals(List.of(), takeMoves());

        assertEquals(448, allocate(576, 577));
        assertEquals(List.of(PageMove.out(3, BEGIN + 64), shift(2, 1, 6)), takeMoves());
        assertEquals(SlotPositionMap.of(new int[] {0, 3, 4, 5, 6, 7, 8, 9}), table.map());
        assertEquals(8, table.residentPages());
        assertEquals(2, table.hostPages());
    }

    @Test
    void windowOfSevenPagesBeyondThePoolGetsSlots() {
        allocate(0, POOL);
        allocate(512, 512 + 7 * PAGE);

        assertArrayEquals(new int[] {0, 8, 9, 10, 11, 12, 13, 14}, resident());
        assertEquals(7, slots(PageMove.Direction.OUT).size());
    }

    @Test
    void windowOfSeveralPagesShiftsTheOthersOnce() {
        allocate(0, POOL);

        allocate(512, 512 + 3 * PAGE);

        assertEquals(
                List.of(
                        PageMove.out(2, BEGIN + 64),
                        PageMove.out(3, BEGIN + 128),
                        PageMove.out(4, BEGIN + 192),
                        shift(4, 1, 4)),
                moves);
    }

    @Test
    void recalledPageShiftsThoseBehindItOnce() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        table.reselect(scores(14, 2, 6), 14 * PAGE, BEGIN, moves::add);
        table.truncate(12 * PAGE);
        assertArrayEquals(new int[] {0, 2, 6, 9, 10, 11}, resident());
        takeMoves();

        // Pages 7 and 8 belong to the tail by now.
        table.reselect(scores(12, 1, 3), 12 * PAGE, BEGIN, moves::add);

        assertArrayEquals(new int[] {0, 1, 3, 7, 8, 9, 10, 11}, resident());
        assertEquals(
                List.of(
                        shift(3, 5, 3),
                        PageMove.in(2, BEGIN + 64),
                        PageMove.in(4, BEGIN + 128),
                        PageMove.in(8, BEGIN + 192),
                        PageMove.in(9, BEGIN + 256)),
                moves);
    }

    /** Two pages score more than the others. */
    private static float[] scores(int pages, int one, int other) {
        float[] scores = new float[pages];
        scores[one] = 2;
        scores[other] = 2;
        return scores;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void sinksAndTheTailAreNeverEvicted(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        allocate(0, POOL);
        int end = POOL;
        for (int step = 0; step < 300; step++) {
            int next = end + random.nextInt(1, PAGE + 1);
            allocate(end, next);
            end = next;
            float[] scores = new float[end / PAGE];
            for (int page = 0; page < scores.length; page++) {
                // Those that must stay score least.
                boolean stays = page == 0 || page > (end - 1) / PAGE - 5;
                scores[page] = stays ? -1e30f : random.nextInt(3);
            }
            table.reselect(scores, end, BEGIN, moves::add);

            int head = (end - 1) / PAGE;
            assertEquals(0, table.slot(0));
            for (int page = head - 4; page <= head; page++) {
                assertTrue(table.slot(page * PAGE) >= 0, "page " + page + " at " + end);
            }
            assertEquals(RUNS, table.residentPages());
        }
    }

    @Test
    void lowestScoreIsEvictedAndOfEqualOnesTheFirst() {
        allocate(0, POOL);
        // Pages 1 and 2 may leave; once page 8 is written, page 3 as well.
        table.reselect(new float[] {0, 5, 4, 3, 0, 0, 0, 0}, POOL, BEGIN, moves::add);
        allocate(512, 513);
        assertArrayEquals(new int[] {0, 1, 2, 4, 5, 6, 7, 8}, resident());

        table.reselect(new float[] {0, 5, 5, 5, 9, 0, 0, 0}, 513, BEGIN, moves::add);
        allocate(576, 577);
        assertArrayEquals(new int[] {0, 2, 4, 5, 6, 7, 8, 9}, resident());
    }

    /** It is not known well enough, and the score of those that are is what they leave by. */
    @Test
    void unscoredPageIsKept() {
        allocate(0, POOL);
        table.reselect(new float[] {0, 1e20f}, 128, BEGIN, moves::add);

        allocate(512, 513);

        assertEquals(-1, table.slot(64), "the only page that has a score");
    }

    @Test
    void nothingChangesIfNoPageIsEvictable() {
        PageTable small = table(5);
        small.allocate(0, 5 * PAGE, BEGIN, moves::add);
        long epoch = small.epoch();

        IllegalStateException refusal =
                assertThrows(
                        IllegalStateException.class,
                        () -> small.allocate(5 * PAGE, 5 * PAGE + 1, BEGIN, moves::add));

        assertEquals("no evictable page for page 5", refusal.getMessage());
        assertEquals(List.of(), moves);
        assertEquals(epoch, small.epoch());
        assertEquals(5, small.residentPages());
        assertEquals(0, small.hostPages(), "the page that found no place is nowhere");
        assertTrue(small.isStraight());
        // Nor is it a page that could be chosen.
        small.growTo(RUNS);
        assertEquals(0, small.reselect(new float[0], 5 * PAGE, BEGIN, moves::add));
        small.allocate(5 * PAGE, POOL, BEGIN, moves::add);
        assertTrue(small.isStraight());
        assertEquals(List.of(), moves);
    }

    /** Else pages far before it would be let go that belong to the tail. */
    @Test
    void failedAllocationKeepsTheRecencyOrder() {
        PageTable small = table(1);
        small.allocate(0, PAGE, BEGIN, moves::add);
        assertThrows(
                IllegalStateException.class,
                () -> small.allocate(20 * PAGE, 20 * PAGE + 1, BEGIN, moves::add));
        small.growTo(RUNS);
        small.allocate(PAGE, POOL, BEGIN, moves::add);
        small.reselect(new float[] {0, 9, 8, 1, 1, 0, 1, 1}, POOL, BEGIN, moves::add);

        small.allocate(POOL, POOL + 1, BEGIN, moves::add);

        assertEquals(
                List.of(BEGIN + 192), slots(PageMove.Direction.OUT), "the least of pages 1 to 3");
        assertEquals(2, moves.size());
    }

    @Test
    void epochChangesExactlyWithThePlacement() {
        long empty = table.epoch();
        allocate(0, 1);
        long first = table.epoch();
        assertNotEquals(empty, first);
        allocate(1, PAGE);
        table.places(PAGE, BEGIN);
        table.rows(0, PAGE, BEGIN);
        table.map();
        assertEquals(first, table.epoch(), "its page was there");
        allocate(PAGE, PAGE + 1);
        long second = table.epoch();
        assertNotEquals(first, second);
        allocate(PAGE, POOL);
        long full = table.epoch();
        table.reselect(new float[RUNS], POOL, BEGIN, moves::add);
        assertEquals(full, table.epoch(), "all pages may stay");
        allocate(POOL, POOL + 1);
        long beyond = table.epoch();
        assertNotEquals(full, beyond);
        table.reselect(new float[] {0, 9, 0, 1, 1, 1, 1, 1}, POOL + 1, BEGIN, moves::add);
        long chosen = table.epoch();
        assertNotEquals(beyond, chosen);
        table.truncate(8 * PAGE + 1);
        assertEquals(chosen, table.epoch(), "all of its pages hold some of the tokens");
        table.truncate(8 * PAGE);
        assertNotEquals(chosen, table.epoch());
        long cut = table.epoch();
        table.release();
        assertNotEquals(cut, table.epoch());
    }

    @Test
    void pageIsCopiedToTheHostOnce() {
        allocate(0, POOL);
        allocate(POOL, POOL + 1);
        assertEquals(new PagingCounts(1, 0, BYTES, 0, 0, 0), table.counts());
        assertEquals(1, pageContents.onHost());
        takeMoves();

        float[] scores = {0, 9, 1, 5, 5, 5, 5, 5};
        assertEquals(2, table.reselect(scores, POOL + 1, BEGIN, moves::add));
        // Page 2 goes, page 1 comes.
        assertEquals(List.of(PageMove.out(3, BEGIN + 64), PageMove.in(2, BEGIN + 64)), takeMoves());
        assertEquals(new PagingCounts(2, 1, 3 * BYTES, 1, 1, 0), table.counts());
        assertEquals(2, pageContents.onHost());

        scores[1] = 1;
        scores[2] = 9;
        assertEquals(2, table.reselect(scores, POOL + 1, BEGIN, moves::add));
        assertEquals(List.of(PageMove.in(3, BEGIN + 64)), takeMoves(), "page 1 lies there");
        assertEquals(new PagingCounts(3, 2, 4 * BYTES, 2, 2, 0), table.counts());
        assertEquals(2, pageContents.onHost());
    }

    @Test
    void reselectedRecallIsCountedAsUsefulOnce() {
        allocate(0, POOL);
        allocate(POOL, POOL + 1);
        float[] scores = {0, 9, 1, 5, 5, 5, 5, 5};
        table.reselect(scores, POOL + 1, BEGIN, moves::add);
        table.reselect(scores, POOL + 1, BEGIN, moves::add);
        assertEquals(new PagingCounts(2, 1, 3 * BYTES, 2, 1, 1), table.counts());

        scores[1] = 0;
        table.reselect(scores, POOL + 1, BEGIN, moves::add);
        assertEquals(new PagingCounts(3, 2, 4 * BYTES, 3, 2, 1), table.counts(), "it counts once");
    }

    @Test
    void evictionsPrecedeRecallsInASelection() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        takeMoves();
        // Page 0 and pages 9 to 13 stay; of the others two.
        assertArrayEquals(new int[] {0, 7, 8, 9, 10, 11, 12, 13}, resident());

        assertEquals(4, table.reselect(scores(14, 3, 5), 14 * PAGE, BEGIN, moves::add));

        List<KvRowOperation> made = takeMoves();
        assertEquals(
                List.of(
                        PageMove.out(8, BEGIN + 64),
                        PageMove.out(9, BEGIN + 128),
                        PageMove.in(4, BEGIN + 64),
                        PageMove.in(6, BEGIN + 128)),
                made);
        assertArrayEquals(new int[] {0, 3, 5, 9, 10, 11, 12, 13}, resident());
    }

    @Test
    void equalScoresKeepTheEarlierPages() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);

        table.reselect(new float[14], 14 * PAGE, BEGIN, moves::add);

        assertArrayEquals(new int[] {0, 1, 2, 9, 10, 11, 12, 13}, resident());
    }

    @Test
    void selectionOfResidentPagesMovesNothing() {
        allocate(0, 7 * PAGE);

        assertEquals(0, table.reselect(new float[] {0, -9, 3}, 7 * PAGE, BEGIN, moves::add));
        assertEquals(List.of(), moves);
        assertEquals(7 * PAGE, table.scoredAt());
    }

    @Test
    void rewrittenSharedPageGetsANewName() {
        allocate(0, 3 * PAGE);
        List<PagePlace> asked = table.places(2 * PAGE + 5, BEGIN);
        assertEquals(List.of(new PagePlace(1, BEGIN), new PagePlace(2, BEGIN + 64)), asked);

        allocate(PAGE + 60, PAGE + 61);

        assertEquals(List.of(new HostPageFree(2)), pageContents.takeDrops());
        assertNotEquals(2, table.places(2 * PAGE, BEGIN).get(1).page());
        allocate(2 * PAGE + 5, 3 * PAGE);
        assertEquals(List.of(), pageContents.takeDrops());
    }

    /** Its content is the host's, and comes back before more of it is written. */
    @Test
    void rewrittenHostPageIsRecalledUnderANewName() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        table.truncate(PAGE + 9);
        pageContents.takeDrops();
        takeMoves();
        assertEquals(-1, table.slot(PAGE));

        assertTrue(allocate(PAGE + 9, PAGE + 10) >= 0);

        assertEquals(List.of(PageMove.in(2, BEGIN + table.slot(PAGE))), moves);
        assertEquals(List.of(new HostPageFree(2)), pageContents.takeDrops());
    }

    /** Those that would leave last come back first, as many as there is room for. */
    @Test
    void pagesAreRecalledIntoFreedSlots() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        assertArrayEquals(new int[] {0, 7, 8, 9, 10, 11, 12, 13}, resident());
        table.truncate(10 * PAGE);
        assertArrayEquals(new int[] {0, 7, 8, 9}, resident());
        takeMoves();

        allocate(10 * PAGE, 10 * PAGE + 1);

        assertArrayEquals(new int[] {0, 4, 5, 6, 7, 8, 9, 10}, resident());
        assertEquals(3, slots(PageMove.Direction.IN).size());
        assertEquals(List.of(), slots(PageMove.Direction.OUT));
        assertEquals(3, table.counts().pagesIn());
        assertEquals(0, table.counts().recalls(), "nobody chose them");
    }

    @Test
    void pagesAreRecalledByTheirScores() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        float[] scores = new float[14];
        scores[3] = 2;
        scores[11] = 9;
        table.reselect(scores, 14 * PAGE, BEGIN, moves::add);
        assertArrayEquals(new int[] {0, 1, 3, 9, 10, 11, 12, 13}, resident());
        table.truncate(10 * PAGE);
        takeMoves();

        // The last ones of the tail, since there is no room for all of it beside those that stay.
        allocate(10 * PAGE, 10 * PAGE + 1);
        assertArrayEquals(new int[] {0, 1, 3, 6, 7, 8, 9, 10}, resident());

        table.truncate(8 * PAGE);
        assertArrayEquals(new int[] {0, 1, 3, 6, 7}, resident());
        allocate(8 * PAGE, 8 * PAGE + 1);
        assertArrayEquals(new int[] {0, 1, 3, 4, 5, 6, 7, 8}, resident());
        table.truncate(6 * PAGE);
        table.growTo(RUNS);
        allocate(6 * PAGE, 6 * PAGE + 1);
        assertArrayEquals(new int[] {0, 1, 2, 3, 4, 5, 6}, resident());
    }

    @Test
    void equalScoresRecallTheFirstPage() {
        PageTable wide = table(12);
        wide.allocate(0, 12 * PAGE, BEGIN, moves::add);
        wide.allocate(12 * PAGE, 18 * PAGE, BEGIN, moves::add);
        wide.allocate(18 * PAGE, 24 * PAGE, BEGIN, moves::add);
        float[] scores = new float[24];
        Arrays.fill(scores, 15, 19, 5);
        wide.reselect(scores, 24 * PAGE, BEGIN, moves::add);
        wide.truncate(12 * PAGE);
        assertArrayEquals(new int[] {0, 1, 2}, resident(wide));

        wide.allocate(12 * PAGE, 12 * PAGE + 1, BEGIN, moves::add);

        // The tail has pages 7 to 11; of the others there is room for three.
        assertArrayEquals(new int[] {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12}, resident(wide));
    }

    @Test
    void requestedResidentPagesDoNotMove() {
        allocate(0, POOL);
        allocate(POOL, POOL + 1);

        List<PagePlace> places = table.places(3 * PAGE + 1, BEGIN);

        assertEquals(
                List.of(
                        new PagePlace(1, BEGIN),
                        new PagePlace(2, PagePlace.ON_HOST),
                        new PagePlace(3, BEGIN + 64)),
                places);
        assertEquals(
                List.of(
                        RowRun.inSlots(60, 4, BEGIN + 60),
                        RowRun.onHost(64, 64, 2),
                        RowRun.inSlots(128, 2, BEGIN + 64)),
                table.rows(60, 70, BEGIN));
    }

    @Test
    void twoTablesOfOneSequenceHaveTheSamePlacement() {
        PageTable other = table(RUNS);
        for (int position = 0; position < 256; position += PAGE) {
            allocate(position, position + PAGE);
            other.allocate(position, position + PAGE, 0, moves::add);
        }

        assertEquals(255, table.slot(255));
        assertEquals(255, other.slot(255));
    }

    @ParameterizedTest
    @CsvSource({"128, 127", "512, 511", "1, 0", "449, 448"})
    void importedPagesAreInOrderIfTheyFit(int tokens, int last) {
        table.await(tokens, PageResidency.STRAIGHT);

        assertEquals(last, table.slot(last));
        assertTrue(table.isStraight());
        assertEquals(PagingCounts.NONE, table.counts());
        assertEquals(List.of(RowRun.inSlots(0, tokens, BEGIN)), table.rows(0, tokens, BEGIN));
    }

    @Test
    void importedPagesBeyondThePoolAreLaidOutAsIfComputed() {
        allocate(0, POOL);
        allocate(POOL, 11 * PAGE);
        PageTable awaited = table(RUNS);

        awaited.await(11 * PAGE, PageResidency.STRAIGHT);

        assertEquals(table.map(), awaited.map());
        assertEquals(PagingCounts.NONE, awaited.counts());
        assertEquals(3, awaited.hostPages());
    }

    @Test
    void importedPagesKeepAKnownPlacement() {
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        float[] scores = new float[14];
        scores[3] = 2;
        scores[5] = 2;
        table.reselect(scores, 14 * PAGE, BEGIN, moves::add);
        PageTable awaited = table(RUNS);

        awaited.await(14 * PAGE, table.residency());

        assertEquals(table.map(), awaited.map());
        assertEquals(14 * PAGE, awaited.scoredAt());
        assertEquals(table.residency(), awaited.residency());
        assertEquals(6, awaited.hostPages());
        awaited.rows(0, 14 * PAGE, 0).forEach(run -> assertTrue(run.page() >= 0));
        // The next page to leave goes by the scores.
        awaited.allocate(14 * PAGE, 14 * PAGE + 1, 0, moves::add);
        table.allocate(14 * PAGE, 14 * PAGE + 1, 0, moves::add);
        assertEquals(table.map(), awaited.map());
    }

    @Test
    void lastHolderDropsAPage() {
        allocate(0, POOL);
        allocate(POOL, 10 * PAGE);
        PageTable fork = table.copy(10 * PAGE);
        PageTable other = fork.copy(9 * PAGE + 1);
        assertEquals(table.map(), fork.map());
        assertEquals(table.map(), other.map());

        table.release();
        assertEquals(List.of(), pageContents.takeDrops());
        other.release();
        assertEquals(List.of(), pageContents.takeDrops());
        assertEquals(2, pageContents.onHost());
        fork.release();
        assertEquals(
                List.of(new HostPageFree(2), new HostPageFree(3)),
                pageContents.takeDrops().stream()
                        .sorted((a, b) -> Long.compare(a.page(), b.page()))
                        .toList());
        assertEquals(0, pageContents.onHost());
        assertEquals(List.of(), pageContents.takeDrops());
    }

    @Test
    void shardsForgetSharedPagesAtOnce() {
        allocate(0, POOL);
        allocate(POOL, 10 * PAGE);
        pageContents.releaseAll();
        assertEquals(2, pageContents.takeDrops().size());
        assertEquals(0, pageContents.onHost());

        table.release();

        assertEquals(List.of(), pageContents.takeDrops());
    }

    @Test
    void continuedSequenceCountsFromZero() {
        allocate(0, POOL);
        allocate(POOL, 10 * PAGE);
        assertNotEquals(PagingCounts.NONE, table.counts());

        table.transferTo(9 * PAGE);

        assertEquals(PagingCounts.NONE, table.counts());
        assertEquals(PagingCounts.NONE, table.copy(9 * PAGE).counts());
        assertEquals(7, table.residentPages());
    }

    @Test
    void copyOfResidentPagesIsContiguous() {
        allocate(0, POOL);
        allocate(POOL, POOL + 1);
        table.reselect(new float[] {0, 9, 1, 5, 5, 5, 5, 5}, POOL + 1, BEGIN, moves::add);
        assertArrayEquals(new int[] {0, 1, 3, 4, 5, 6, 7, 8}, resident());
        assertTrue(table.isStraightUpTo(2 * PAGE));
        assertFalse(table.isStraightUpTo(2 * PAGE + 1));

        PageTable straight = table.copy(2 * PAGE);

        assertTrue(straight.isStraight());
        assertEquals(2, straight.residentPages());
        assertEquals(0, straight.scoredAt());
        straight.growTo(RUNS);
        straight.allocate(2 * PAGE, POOL, 0, moves::add);
        assertTrue(straight.isStraight());
    }

    @Test
    void truncatedPagesAreRewrittenInPlace() {
        allocate(0, POOL);
        table.truncate(3 * PAGE);

        allocate(3 * PAGE, POOL);

        assertTrue(table.isStraight(), Arrays.toString(resident()));
        assertEquals(List.of(), moves);
    }

    /** However the same pages came to lie in the span, they lie there alike. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void placementFollowsFromTheResidentPages(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        allocate(0, POOL);
        allocate(POOL, 14 * PAGE);
        allocate(14 * PAGE, 20 * PAGE);
        for (int step = 0; step < 100; step++) {
            float[] scores = new float[20];
            for (int page = 0; page < scores.length; page++) {
                scores[page] = random.nextInt(5);
            }
            table.reselect(scores, 20 * PAGE, BEGIN, moves::add);
            PageTable awaited = table(RUNS);
            awaited.await(20 * PAGE, table.residency());

            assertTrue(table.map().isInOrder(), table.map().toString());
            assertEquals(table.map(), awaited.map());
            int[] resident = resident();
            for (int run = 0; run < RUNS; run++) {
                assertEquals(run * PAGE, table.slot(resident[run] * PAGE));
            }
        }
    }
}
