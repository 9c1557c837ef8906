package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

/** A window of ten seconds, which must bring 10000 bytes. */
class BodyRateMonitorTest {
    private static final long SECOND = 1_000_000_000;

    private static final ClientTimeouts PACE =
            new ClientTimeouts(
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    1000,
                    Duration.ofSeconds(100),
                    Duration.ofSeconds(30));

    /** Times may have any sign. */
    private final long start = -5 * SECOND;

    private final BodyRateMonitor clock = new BodyRateMonitor(PACE, start);

    @ParameterizedTest
    @CsvSource({"1, 10, false", "1, 11, true", "9999, 18, false", "9999, 20, true"})
    void onlyTheAverageRateCountsInTheFirstWindow(long bytes, int seconds, boolean tooSlow) {
        clock.advance(bytes, start + SECOND);

        assertEquals(tooSlow, clock.isTooSlow(bytes, start + seconds * SECOND));
    }

    @ParameterizedTest
    @CsvSource({"10, false", "11, true", "12, true"})
    void fastStartEarnsNoPause(int seconds, boolean tooSlow) {
        clock.advance(14 << 20, start + SECOND);

        assertEquals(tooSlow, clock.isTooSlow(14 << 20, start + seconds * SECOND));
    }

    @Test
    void bytesBelowAWindowAreNotEnough() {
        clock.advance(20_500, start + SECOND);
        clock.advance(29_999, start + 10 * SECOND);

        assertTrue(clock.isTooSlow(29_999, start + 11 * SECOND));
    }

    @Test
    void steadyBodyMayBeSlow() {
        for (int second = 1; second < 100; second++) {
            long now = start + second * SECOND;
            clock.advance(second * 1000L, now);
            assertFalse(clock.isTooSlow(second * 1000L, now), "second " + second);
        }
    }

    @Test
    void pausedTimeDoesNotCount() {
        clock.advance(50_000, start + SECOND);
        clock.skip(30 * SECOND);

        assertFalse(clock.isTooSlow(50_000, start + 40 * SECOND));
        assertTrue(clock.isTooSlow(50_000, start + 41 * SECOND));
    }
}
