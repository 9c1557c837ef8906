package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class ChunkPlanTest {
    @Test
    void aPromptAloneIsCutAtMultiplesOfTheWindow() {
        assertEquals(List.of(512, 1024, 1300), ends(0, 1300, 0, false));
    }

    @Test
    void theStablePrefixEndsAChunk() {
        assertEquals(List.of(512, 700, 1024, 1300), ends(0, 1300, 700, false));
    }

    @Test
    void aStablePrefixThatIsComputedAlreadyCutsNothing() {
        assertEquals(List.of(1024, 1300), ends(700, 1300, 700, false));
    }

    /**
     * Fewer rows than a tile take another path in flash attention, so a divided window must not end
     * in a short block.
     */
    @Test
    void everyBlockOfADividedWindowHasAtLeastATileOfRows() {
        for (int length = 1; length <= 1600; length++) {
            int begin = 0;
            for (int end : ends(0, length, 0, true)) {
                int window =
                        Math.min(length, (begin / ChunkPlan.WINDOW + 1) * ChunkPlan.WINDOW)
                                - begin / ChunkPlan.WINDOW * ChunkPlan.WINDOW;
                assertTrue(
                        end - begin >= Math.min(ChunkPlan.BLOCK, window),
                        "length " + length + ", chunk " + begin);
                assertTrue(
                        end - begin < 2 * ChunkPlan.BLOCK, "length " + length + ", chunk " + begin);
                begin = end;
            }
            assertEquals(length, begin);
        }
    }

    @Test
    void dividedChunksKeepTheBordersOfTheWindows() {
        for (int length : new int[] {511, 512, 513, 600, 1024, 1300}) {
            assertTrue(
                    ends(0, length, 0, true).containsAll(ends(0, length, 0, false)),
                    "length " + length);
        }
    }

    private static List<Integer> ends(int begin, int end, int stable, boolean shared) {
        List<Integer> ends = new ArrayList<>();
        for (int next = begin; next < end; ) {
            next = ChunkPlan.next(next, end, stable, shared);
            ends.add(next);
        }
        return ends;
    }
}
