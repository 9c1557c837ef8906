package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class StepPaceTest {
    private static final long MILLI = 1_000_000;

    private final StepPace pace = new StepPace(Duration.ofMillis(100));

    @Test
    void littleIsAllowedWhereNothingWasMeasured() {
        assertEquals(ChunkPlan.PIECE, pace.columns());
    }

    /** A step costs 20 ms and 2 ms a column: 32 columns take 84 ms. */
    @Test
    void stepsComeToTakeTheTimeThatIsAllowed() {
        for (int step = 0; step < 50; step++) {
            int columns = pace.columns();
            pace.took(columns, 20 * MILLI + columns * 2 * MILLI);
        }

        assertEquals(32, pace.columns(), 1);
    }

    @Test
    void aStepThatTookLongCountsAtOnceAndIsForgottenSlowly() {
        pace.took(50, 50 * MILLI);
        int before = pace.columns();

        pace.took(50, 500 * MILLI);
        int after = pace.columns();
        pace.took(50, 50 * MILLI);

        assertEquals(before / 10, after, 1);
        assertTrue(pace.columns() > after && pace.columns() < before / 2);
    }
}
