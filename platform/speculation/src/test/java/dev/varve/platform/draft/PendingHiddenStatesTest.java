package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.HiddenStates;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

/** States of several sequences wait together, each with its position and its row. */
class PendingHiddenStatesTest {
    private static final int LENGTH = 6;

    /** Two layers of 3 elements, whose columns begin at different places. */
    private static HiddenStates states(int firstPosition, float first) {
        float[] lower = new float[9];
        float[] upper = new float[12];
        for (int i = 0; i < 3; i++) {
            lower[3 + i] = first + i;
            lower[6 + i] = first + 10 + i;
            upper[6 + i] = first + 100 + i;
            upper[9 + i] = first + 110 + i;
        }
        return new HiddenStates(
                5,
                firstPosition,
                2,
                List.of(new HiddenStates.Layer(1, lower, 1), new HiddenStates.Layer(4, upper, 2)));
    }

    @Test
    void statesOfATokenAreConsecutiveOverLayers() {
        PendingHiddenStates pending = new PendingHiddenStates(3, LENGTH);

        pending.add(states(70, 1), 1, 0, 33);
        pending.add(states(70, 1), 0, 0, 32);

        assertEquals(2, pending.count());
        float[] expected = {11, 12, 13, 111, 112, 113, 1, 2, 3, 101, 102, 103};
        assertArrayEquals(expected, Arrays.copyOf(pending.states(), 2 * LENGTH));
        assertArrayEquals(new int[] {71, 70}, Arrays.copyOf(pending.positions(), 2));
        assertArrayEquals(new long[] {33, 32}, Arrays.copyOf(pending.rows(), 2));
        assertFalse(pending.isFull());
        pending.add(states(70, 1), 0, 0, 32);
        assertTrue(pending.isFull());
    }

    @Test
    void statesOfOtherRegionsKeepTheirOrder() {
        PendingHiddenStates pending = new PendingHiddenStates(4, LENGTH);
        pending.add(states(10, 1), 0, 8, 81);
        pending.add(states(20, 2), 0, 9, 91);
        pending.add(states(30, 3), 0, 8, 82);
        pending.add(states(40, 4), 0, 9, 92);

        pending.drop(8);

        assertEquals(2, pending.count());
        assertArrayEquals(new int[] {20, 40}, Arrays.copyOf(pending.positions(), 2));
        assertArrayEquals(new long[] {91, 92}, Arrays.copyOf(pending.rows(), 2));
        float[] expected = {2, 3, 4, 102, 103, 104, 4, 5, 6, 104, 105, 106};
        assertArrayEquals(expected, Arrays.copyOf(pending.states(), 2 * LENGTH));
        // A region that moved up is dropped by its number, too.
        pending.drop(9);
        assertEquals(0, pending.count());
    }

    @Test
    void clearedStatesAreRemoved() {
        PendingHiddenStates pending = new PendingHiddenStates(1, LENGTH);
        pending.add(states(10, 1), 0, 8, 81);

        pending.clear();

        assertEquals(0, pending.count());
        assertFalse(pending.isFull());
    }
}
