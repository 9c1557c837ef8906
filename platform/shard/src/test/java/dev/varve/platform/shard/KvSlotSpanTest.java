package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvSlotSpanTest {
    @ParameterizedTest
    @CsvSource({"1, 256", "256, 1", "-256, 256", "0, -256", "0, 255"})
    void partialBlocksAreRefused(int begin, int capacity) {
        assertThrows(IllegalArgumentException.class, () -> new KvSlotSpan(begin, capacity));
    }

    @Test
    void everyPositionHasAUniqueSlotInTheSpan() {
        KvSlotSpan span = new KvSlotSpan(512, 768);

        for (int position = 0; position < span.capacity(); position++) {
            assertEquals(512 + position, span.slot(position));
            assertTrue(span.slot(position) < span.end());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 256, Integer.MAX_VALUE})
    void positionsOutsideOfTheSpanHaveNoSlot(int position) {
        KvSlotSpan span = new KvSlotSpan(256, 256);

        assertThrows(IllegalArgumentException.class, () -> span.slot(position));
    }

    @Test
    void roundingUpGivesTheFewestWholeBlocks() {
        for (int tokens = 0; tokens < 3 * KvSlotSpan.BLOCK; tokens++) {
            int rounded = KvSlotSpan.roundUp(tokens);

            assertEquals(0, rounded % KvSlotSpan.BLOCK, "tokens " + tokens);
            assertTrue(rounded >= tokens && rounded - tokens < KvSlotSpan.BLOCK, "" + tokens);
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 1", "0, -1, 1", "0, 0, 0", "0, 2147483647, 1", "2147483647, 0, 1"})
    void emptyAndOutOfRangeCopiesAreRefused(int from, int to, int count) {
        assertThrows(IllegalArgumentException.class, () -> new KvSlotCopy(from, to, count));
    }

    @ParameterizedTest
    @CsvSource({"0, 10, 5, 15", "10, 0, 5, 15", "3, 3, 1, 4"})
    void copyEndsBehindTheLaterOfItsRanges(int from, int to, int count, int end) {
        assertEquals(end, new KvSlotCopy(from, to, count).end());
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 0", "255, 2, 0", "256, 1, 0", "256, 2, 1", "256, 2, -256", "-256, 2, 0"})
    void cachesWithoutRoomForASequenceAreRefused(int slots, int rows, int region) {
        assertThrows(
                IllegalArgumentException.class, () -> new CacheCapacities(slots, rows, region));
    }

    @Test
    void smallestCachesHoldOneSequence() {
        CacheCapacities capacities = new CacheCapacities(KvSlotSpan.BLOCK, 2, 0);

        assertEquals(new KvSlotSpan(0, capacities.slots()).end(), capacities.slots());
    }
}
