package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Optional;

/** Each sequence keeps its last positions in a region of its own. */
class ContextPositionsTest {
    private final ContextPositions contextPositions = new ContextPositions(2);

    @Test
    void ringStartsAtTheFirstFeature() {
        ContextPositions.PositionRange ring = contextPositions.findOrOpen(7, 40).orElseThrow();

        assertEquals(40, ring.begin());
        assertEquals(40, ring.end());
        assertEquals(0, ring.count());
        assertSame(ring, contextPositions.findOrOpen(7, 99).orElseThrow());
        assertSame(ring, contextPositions.find(7).orElseThrow());
    }

    @Test
    void fullRingDropsTheOldestPosition() {
        ContextPositions.PositionRange ring = contextPositions.findOrOpen(7, 40).orElseThrow();
        for (int i = 0; i < 3; i++) {
            ring.append(3);
        }
        assertEquals(40, ring.begin());

        ring.append(3);

        assertEquals(41, ring.begin());
        assertEquals(44, ring.end());
        assertEquals(3, ring.count());
    }

    @Test
    void restartedRingHasNoPositions() {
        ContextPositions.PositionRange ring = contextPositions.findOrOpen(7, 40).orElseThrow();
        ring.append(3);

        ring.restart(90);

        assertEquals(90, ring.begin());
        assertEquals(90, ring.end());
    }

    @Test
    void thereAreAsManyRingsAsRegions() {
        int first = contextPositions.findOrOpen(1, 0).orElseThrow().region();
        int second = contextPositions.findOrOpen(2, 0).orElseThrow().region();

        assertNotEquals(first, second);
        assertEquals(Optional.empty(), contextPositions.findOrOpen(3, 0));
        assertEquals(Optional.empty(), contextPositions.find(3));
        assertEquals(second, contextPositions.remove(2).orElseThrow().region());
        assertEquals(second, contextPositions.findOrOpen(3, 0).orElseThrow().region());
        assertEquals(Optional.empty(), contextPositions.find(2));
    }

    @Test
    void removingAMissingSequenceFreesNothing() {
        contextPositions.findOrOpen(1, 0);
        contextPositions.findOrOpen(2, 0);

        assertEquals(Optional.empty(), contextPositions.remove(3));

        assertEquals(Optional.empty(), contextPositions.findOrOpen(3, 0));
    }

    @Test
    void ringsAreEmptyOnceAllSequencesAreRemoved() {
        assertTrue(contextPositions.isEmpty());
        contextPositions.findOrOpen(1, 0);
        assertEquals(false, contextPositions.isEmpty());
        contextPositions.remove(1);
        assertTrue(contextPositions.isEmpty());
    }
}
