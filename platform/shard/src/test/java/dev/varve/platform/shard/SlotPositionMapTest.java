package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class SlotPositionMapTest {
    private static final SlotPositionMap MAP =
            SlotPositionMap.of(new int[] {0, 8, SlotPositionMap.EMPTY, 3});

    @ParameterizedTest
    @CsvSource({"0, 0", "63, 63", "512, 64", "575, 127", "192, 192", "255, 255"})
    void positionIsInTheRunOfItsPage(int position, int offset) {
        assertEquals(offset, MAP.offset(position));
        assertTrue(MAP.holds(position));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 128, 511, 576, Integer.MAX_VALUE})
    void positionOfAMissingPageIsNotFound(int position) {
        assertFalse(MAP.holds(position));
        assertThrows(IllegalArgumentException.class, () -> MAP.offset(position));
    }

    @Test
    void withoutAMapPositionsAreContiguous() {
        assertTrue(SlotPositionMap.STRAIGHT.isStraight());
        assertEquals(SlotPositionMap.STRAIGHT, SlotPositionMap.of(new int[0]));
        assertEquals(12345, SlotPositionMap.STRAIGHT.offset(12345));
        assertTrue(SlotPositionMap.STRAIGHT.holds(12345));
        assertEquals(0, SlotPositionMap.STRAIGHT.size());
        assertFalse(MAP.isStraight());
        assertEquals(4, MAP.size());
        assertEquals(8, MAP.page(1));
    }

    @Test
    void pageHasOnePlace() {
        int most = Integer.MAX_VALUE / Pages.TOKENS - 1;
        assertEquals(most, SlotPositionMap.of(new int[] {most}).page(0));
        for (int[] wrong : new int[][] {{1, 2, 1}, {0, 0}, {-2}, {most + 1}}) {
            assertThrows(IllegalArgumentException.class, () -> SlotPositionMap.of(wrong));
        }
        // Nothing may lie in any number of places.
        assertEquals(3, SlotPositionMap.of(new int[] {-1, -1, -1}).size());
    }

    @Test
    void pagesAreCopied() {
        int[] pages = {5, 6};
        SlotPositionMap map = SlotPositionMap.of(pages);

        pages[0] = 7;

        assertEquals(SlotPositionMap.of(new int[] {5, 6}), map);
        assertEquals(SlotPositionMap.of(new int[] {5, 6}).hashCode(), map.hashCode());
        assertNotEquals(SlotPositionMap.of(new int[] {6, 5}), map);
        assertEquals("[5, 6]", map.toString());
        assertEquals("straight", SlotPositionMap.STRAIGHT.toString());
    }

    @Test
    void namesArePositiveAndSlotsArePageAligned() {
        assertEquals(new PageMove(1, 0, PageMove.Direction.OUT), PageMove.out(1, 0));
        assertEquals(new PageMove(1, 64, PageMove.Direction.IN), PageMove.in(1, 64));
        assertTrue(new PageQuery.PagePlace(1, 64).isResident());
        assertFalse(new PageQuery.PagePlace(1, PageQuery.PagePlace.ON_HOST).isResident());
        for (long name : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> PageMove.out(name, 0));
            assertThrows(IllegalArgumentException.class, () -> new HostPageFree(name));
            assertThrows(IllegalArgumentException.class, () -> new PageQuery.PagePlace(name, 0));
        }
        for (int slot : new int[] {-64, 1, 63, 65, Integer.MAX_VALUE - 63}) {
            assertThrows(IllegalArgumentException.class, () -> PageMove.in(1, slot));
            assertThrows(IllegalArgumentException.class, () -> new PageQuery.PagePlace(1, slot));
        }
        assertThrows(IllegalArgumentException.class, () -> PageMove.in(1, -1));
    }

    @Test
    void rowsAreInSlotsOrInAHostPage() {
        RowLayout layout = new RowLayout(GgmlType.F16, 8, GgmlType.F16, 8);

        assertEquals(
                new CachePart.Rows(3, layout, 64, 512, 9),
                RowRun.inSlots(512, 9, 64).part(3, layout));
        assertEquals(
                new CachePart.HostPageRows(3, layout, 7, 512, 9),
                RowRun.onHost(512, 9, 7).part(3, layout));
        assertEquals(
                List.of(5, 0),
                List.of(
                        new CachePart.HostPageRows(3, layout, 7, 517, 9).first(),
                        new CachePart.HostPageRows(3, layout, 7, 512, 64).first()));
        assertEquals(9 * 32, new CachePart.HostPageRows(3, layout, 7, 517, 9).bytes());
    }

    @Test
    void mapIsOrderedIfItsPagesAscendWithoutAGap() {
        int gap = SlotPositionMap.EMPTY;
        assertTrue(SlotPositionMap.STRAIGHT.isInOrder());
        assertTrue(SlotPositionMap.of(new int[] {0, 3, 7, gap}).isInOrder());
        assertTrue(SlotPositionMap.of(new int[] {2, 3, 4, 5}).isInOrder());
        assertTrue(SlotPositionMap.of(new int[] {gap, gap}).isInOrder());
        assertFalse(SlotPositionMap.of(new int[] {0, 2, 1, 3}).isInOrder());
        assertFalse(SlotPositionMap.of(new int[] {0, gap, 1, 2}).isInOrder());
        assertFalse(SlotPositionMap.of(new int[] {gap, 0, 1, 2}).isInOrder());
    }

    @Test
    void slotsUpToAPositionAreThoseOfResidentPages() {
        SlotPositionMap map = SlotPositionMap.of(new int[] {SlotPositionMap.EMPTY, 0, 9, 4});

        assertEquals(64, map.slotsUpTo(0));
        assertEquals(64, map.slotsUpTo(4 * 64 - 1));
        assertEquals(128, map.slotsUpTo(4 * 64));
        assertEquals(192, map.slotsUpTo(100_000));
        assertEquals(64, SlotPositionMap.STRAIGHT.slotsUpTo(63));
        assertEquals(128, SlotPositionMap.STRAIGHT.slotsUpTo(64));
    }
}
