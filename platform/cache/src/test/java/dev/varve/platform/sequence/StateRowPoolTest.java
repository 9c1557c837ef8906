package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.SequenceChunk;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;

class StateRowPoolTest {
    private static final int ROWS = 7;

    private final StateRowPool pool = new StateRowPool(ROWS);

    @Test
    void statesAndCheckpointsAreAllocatedFromOppositeEnds() {
        assertEquals(OptionalInt.of(1), pool.allocateLow());
        assertEquals(OptionalInt.of(2), pool.allocateLow());
        assertEquals(OptionalInt.of(6), pool.allocateHigh());
        assertEquals(OptionalInt.of(5), pool.allocateHigh());
    }

    @Test
    void zeroRowIsNeverAllocated() {
        pool.share(SequenceChunk.ZERO_ROW);
        pool.release(SequenceChunk.ZERO_ROW);

        assertFalse(pool.isShared(SequenceChunk.ZERO_ROW));
        for (int row = 1; row < ROWS; row++) {
            assertEquals(OptionalInt.of(row), pool.allocateLow());
        }
        assertFalse(pool.hasFree());
        assertEquals(OptionalInt.empty(), pool.allocateLow());
        assertEquals(OptionalInt.empty(), pool.allocateHigh());
    }

    @Test
    void rowIsFreeAfterItsLastHolderReleasesIt() {
        int row = pool.allocateLow().orElseThrow();
        pool.share(row);
        assertTrue(pool.isShared(row));

        pool.release(row);

        assertFalse(pool.isShared(row));
        assertEquals(OptionalInt.of(row + 1), pool.allocateLow(), "one holder is left");
        pool.release(row);
        assertEquals(OptionalInt.of(row), pool.allocateLow());
    }

    @Test
    void unallocatedRowCanBeNeitherSharedNorReleased() {
        assertThrows(IllegalStateException.class, () -> pool.share(3));
        assertThrows(IllegalStateException.class, () -> pool.release(3));
    }

    @Test
    void anyOrderOfCallsKeepsTheCountsOfAMap() {
        for (long seed = 0; seed < 20; seed++) {
            walk(new StateRowPool(ROWS), new Random(seed), "seed " + seed);
        }
    }

    private static void walk(StateRowPool pool, Random random, String seed) {
        Map<Integer, Integer> holders = new HashMap<>();
        for (int step = 0; step < 500; step++) {
            List<Integer> held = new ArrayList<>(holders.keySet());
            int choice = held.isEmpty() ? 0 : random.nextInt(4);
            if (choice < 2) {
                OptionalInt row = choice == 0 ? pool.allocateLow() : pool.allocateHigh();
                assertEquals(holders.size() < ROWS - 1, row.isPresent(), seed);
                row.ifPresent(
                        taken -> {
                            assertFalse(holders.containsKey(taken), seed);
                            holders.put(taken, 1);
                        });
            } else {
                int row = held.get(random.nextInt(held.size()));
                if (choice == 2) {
                    pool.share(row);
                    holders.merge(row, 1, Integer::sum);
                } else {
                    pool.release(row);
                    holders.computeIfPresent(row, (key, count) -> count == 1 ? null : count - 1);
                }
            }
            for (int row = 1; row < ROWS; row++) {
                assertEquals(holders.getOrDefault(row, 0) > 1, pool.isShared(row), seed);
            }
            assertEquals(holders.size() < ROWS - 1, pool.hasFree(), seed);
        }
    }
}
