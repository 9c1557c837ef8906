package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.ShardHealth;

import org.junit.jupiter.api.Test;

/** The steps that count as progress in the recovery of a lost shard. */
class RecoveryProgressTest {
    private static final long TOTAL = 100;

    private final RecoveryProgress progress = new RecoveryProgress();

    private long steps() {
        return progress.status().steps();
    }

    /** An attempt that fails once it has loaded some bytes, in steps of ten. */
    private void attempt(long bytes) {
        progress.reached();
        for (long done = 10; done <= bytes; done += 10) {
            progress.loaded(done, TOTAL);
        }
    }

    @Test
    void connectionAndLoadedBytesAreProgress() {
        progress.lost();
        long lost = steps();

        progress.reached();
        long reached = steps();
        progress.loaded(0, TOTAL);
        long begun = steps();
        progress.loaded(1, TOTAL);

        assertEquals(lost + 1, reached);
        assertEquals(reached, begun, "nothing was loaded yet");
        assertEquals(begun + 1, steps());
        assertEquals(new ShardHealth.Recovery(1, TOTAL, steps()), progress.status());
    }

    @Test
    void repeatedProgressDoesNotCount() {
        progress.reached();
        progress.loaded(50, TOTAL);
        long before = steps();

        for (int i = 0; i < 100; i++) {
            progress.loaded(50, TOTAL);
        }

        assertEquals(before, steps());
    }

    @Test
    void processMayBeKilledAFewTimesDuringALoad() {
        for (int attempt = 0; attempt < RecoveryProgress.TRUSTED_ATTEMPTS; attempt++) {
            long before = steps();
            attempt(50);
            assertEquals(before + 6, steps(), "attempt " + attempt);
        }
    }

    @Test
    void repeatedFailuresCountOnlyWithFurtherProgress() {
        for (int attempt = 0; attempt < RecoveryProgress.TRUSTED_ATTEMPTS; attempt++) {
            attempt(50);
        }
        long before = steps();

        for (int attempt = 0; attempt < 10; attempt++) {
            attempt(50);
        }
        long repeated = steps();
        attempt(70);

        assertEquals(before, repeated);
        assertEquals(before + 2, steps(), "60 and 70 are further than any attempt came");
    }

    @Test
    void shardThatWorkedInBetweenStartsAnew() {
        for (int attempt = 0; attempt < 10; attempt++) {
            attempt(50);
        }
        long before = steps();

        progress.lost();
        assertEquals(0, progress.status().loadedBytes());
        attempt(20);

        assertTrue(steps() > before, "steps never fall, and go on");
        assertEquals(before + 3, steps());
    }
}
