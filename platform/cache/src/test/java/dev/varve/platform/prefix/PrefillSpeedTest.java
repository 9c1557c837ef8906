package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** How long prompts take is learned from those that were computed. */
class PrefillSpeedTest {
    private final PrefillSpeed speed = new PrefillSpeed();

    @Test
    void unmeasuredPrefillTakesTenSeconds() {
        assertEquals(Duration.ofSeconds(10), speed.of(1));
        assertEquals(Duration.ofSeconds(10), speed.of(1_000_000));
    }

    @Test
    void prefillTimePerTokenFollowsEarlierPrompts() {
        speed.record(100, 200);

        assertEquals(Duration.ofMillis(2000), speed.of(1000));
        assertEquals(Duration.ofMillis(3000), speed.of(1500));
    }

    @Test
    void eachPromptCountsAFourth() {
        speed.record(100, 200);
        speed.record(100, 1000);

        // Three parts of 2 ms and one of 10 ms.
        assertEquals(Duration.ofMillis(4000), speed.of(1000));
    }

    @Test
    void shortPromptsAreNotMeasured() {
        speed.record(63, 6300);
        speed.record(100, 0);
        speed.record(100, -5);
        assertEquals(Duration.ofSeconds(10), speed.of(1000));

        speed.record(64, 64);
        assertEquals(Duration.ofSeconds(1), speed.of(1000));
    }

    @Test
    void estimateIsClampedToTheUsefulRange() {
        speed.record(100, 100);

        assertEquals(Duration.ofMillis(50), speed.of(1));
        assertEquals(Duration.ofMillis(50), speed.of(50));
        assertEquals(Duration.ofMillis(51), speed.of(51));
        assertEquals(Duration.ofMillis(59_999), speed.of(59_999));
        assertEquals(Duration.ofSeconds(60), speed.of(60_000));
        assertEquals(Duration.ofSeconds(60), speed.of(60_001));
    }
}
