package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How many threads compute while others want the cores. */
class CrowdingTest {
    private static final long MILLI = 1_000_000;
    private static final long STEP = 12 * MILLI;

    private final Crowding crowding = new Crowding();
    private long now;

    /** Steps of 12 ms, of which a part is spent waiting. */
    private void compute(int steps, double waiting) {
        for (int i = 0; i < steps; i++) {
            now += STEP;
            crowding.computed(8, STEP, (long) (waiting * STEP), now);
        }
    }

    @Test
    void anIdleMachineHasAllThreads() {
        compute(1000, 0.01);

        assertEquals(8, crowding.threads(8));
    }

    @Test
    void aMomentWithoutACoreIsNoCrowd() {
        compute(4, 0);
        compute(1, 0.5);
        compute(4, 0);

        assertEquals(8, crowding.threads(8));
    }

    /** A compiler of this process, say. */
    @Test
    void aDisturbanceThatPassesIsNoCrowd() {
        for (int i = 0; i < 100; i++) {
            compute(5, 0.3);
            compute(5, 0.1);
        }

        assertEquals(8, crowding.threads(8));
    }

    @Test
    void aDisturbanceThatStaysIsOne() {
        compute(10, 0.3);

        assertEquals(4, crowding.threads(8));
    }

    @Test
    void aCrowdHalvesThemDownToOne() {
        compute(5, 0.6);
        assertEquals(4, crowding.threads(8));

        compute(50, 0.6);

        assertEquals(1, crowding.threads(8));
        assertEquals(1, crowding.threads(1));
    }

    @Test
    void theyComeBackWhenTheCrowdIsGone() {
        compute(100, 0.5);

        compute(3000, 0);

        assertEquals(8, crowding.threads(8));
    }

    /** With fewer threads nobody is in the way; with more somebody is: tries become rare. */
    @Test
    void triesThatFailComeEverLater() {
        int tried = 0;
        for (int step = 0; step < 5000; step++) {
            boolean all = crowding.threads(8) == 8;
            tried += all ? 1 : 0;
            compute(1, all ? 0.4 : 0);
        }

        assertTrue(tried < 150, "steps with all threads: " + tried);
    }
}
