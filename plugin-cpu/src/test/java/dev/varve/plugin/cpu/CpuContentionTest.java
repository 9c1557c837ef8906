package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** How many threads compute while others want the cores. */
class CpuContentionTest {
    private static final long MILLI = 1_000_000;
    private static final long STEP = 20 * MILLI;
    private static final long TICK = 10 * MILLI;

    /** On a machine that does not report its idle cores. */
    private CpuContention crowding = new CpuContention(new IdleCores(Path.of("none"), Set.of()));

    private long now;

    /** A machine of two cores. */
    private CpuContention twoCores(Path folder) {
        return new CpuContention(new IdleCores(folder.resolve("stat"), Set.of(0, 1)));
    }

    /** Calm steps, in which one core computes and the other is idle for a part of the time. */
    private void computeBeside(Path folder, int steps, double idle) throws IOException {
        long ticks = 0;
        for (int i = 0; i < steps; i++) {
            ticks += Math.round(STEP * idle / TICK);
            Files.writeString(
                    folder.resolve("stat"), "cpu0 0 0 0 0 0 0\ncpu1 0 0 0 " + ticks + " 0 0\n");
            now += STEP;
            crowding.computed(2, STEP, 0, now);
        }
    }

    /** Steps of 20 ms, of which a part is spent waiting. */
    private void compute(int steps, double waiting) {
        for (int i = 0; i < steps; i++) {
            now += STEP;
            crowding.computed(8, STEP, (long) (waiting * STEP), now);
        }
    }

    @Test
    void idleMachineUsesAllThreads() {
        compute(1000, 0.01);

        assertEquals(8, crowding.threads(8));
    }

    @Test
    void shortWaitIsNoContention() {
        compute(4, 0);
        compute(1, 0.5);
        compute(4, 0);

        assertEquals(8, crowding.threads(8));
    }

    /** A compiler of this process, say. */
    @Test
    void transientDisturbanceIsNoContention() {
        for (int i = 0; i < 100; i++) {
            compute(5, 0.3);
            compute(5, 0.1);
        }

        assertEquals(8, crowding.threads(8));
    }

    @Test
    void persistentDisturbanceIsContention() {
        compute(20, 0.3);

        assertEquals(4, crowding.threads(8));
    }

    @Test
    void contentionHalvesThreadsDownToOne() {
        compute(5, 0.6);
        assertEquals(4, crowding.threads(8));

        compute(50, 0.6);

        assertEquals(1, crowding.threads(8));
        assertEquals(1, crowding.threads(1));
    }

    @Test
    void threadsReturnAfterContention() {
        compute(100, 0.5);

        compute(3000, 0);

        assertEquals(8, crowding.threads(8));
    }

    /** With fewer threads nobody is in the way; with more somebody is: tries become rare. */
    @Test
    void failedTriesBackOff() {
        int tried = 0;
        for (int step = 0; step < 5000; step++) {
            boolean all = crowding.threads(8) == 8;
            tried += all ? 1 : 0;
            compute(1, all ? 0.4 : 0);
        }

        assertTrue(tried < 150, "steps with all threads: " + tried);
    }

    /** A try would cost a step of several: somebody has the other core. */
    @Test
    void nothingIsTriedWithoutAnIdleCore(@TempDir Path folder) throws IOException {
        crowding = twoCores(folder);
        compute(20, 0.5);
        assertEquals(1, crowding.threads(2));

        for (int i = 0; i < 20; i++) {
            computeBeside(folder, 50, 0);
            assertEquals(1, crowding.threads(2));
        }
    }

    @Test
    void allThreadsReturnSoonAfterACoreIsIdle(@TempDir Path folder) throws IOException {
        crowding = twoCores(folder);
        compute(20, 0.5);
        computeBeside(folder, 500, 0);
        assertEquals(1, crowding.threads(2));

        computeBeside(folder, 30, 1);

        assertEquals(2, crowding.threads(2));
    }

    /**
     * Two processes on two cores compute the halves of each step in turn. Contention at their start
     * lowered both numbers.
     */
    @Test
    void shardsThatComputeInTurnRecover(@TempDir Path folder) throws IOException {
        crowding = twoCores(folder);
        CpuContention child = twoCores(folder);
        for (int i = 0; i < 20; i++) {
            now += STEP;
            crowding.computed(2, STEP, STEP / 2, now);
            child.computed(2, STEP, STEP / 2, now);
        }
        assertEquals(1, crowding.threads(2));
        assertEquals(1, child.threads(2));

        long idle = 0;
        for (int i = 0; i < 200; i++) {
            for (CpuContention computing : new CpuContention[] {crowding, child}) {
                idle += 2 - computing.threads(2);
                Files.writeString(
                        folder.resolve("stat"),
                        "cpu0 0 0 0 0 0 0\ncpu1 0 0 0 " + idle * STEP / TICK + " 0 0\n");
                now += STEP;
                computing.computed(2, STEP, 0, now);
            }
        }

        assertEquals(2, crowding.threads(2));
        assertEquals(2, child.threads(2));
    }
}
