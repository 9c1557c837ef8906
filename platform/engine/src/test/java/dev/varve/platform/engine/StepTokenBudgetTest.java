package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class StepTokenBudgetTest {
    private static final long MILLI = 1_000_000;

    private final StepTokenBudget pace = new StepTokenBudget(Duration.ofMillis(100));

    @Test
    void littleIsAllowedWhereNothingWasMeasured() {
        assertEquals(PlannedChunk.PIECE, pace.columns());
    }

    /** A step costs 20 ms and 2 ms a column: 35 columns take 90 ms. */
    @Test
    void stepsComeToTakeTheTimeThatIsAllowed() {
        for (int step = 0; step < 50; step++) {
            int columns = pace.columns();
            pace.record(columns, 20 * MILLI + columns * 2 * MILLI);
        }

        assertEquals(35, pace.columns(), 1);
    }

    /** Piece sizes are far apart: 32 columns fit, 48 do not. */
    @Test
    void fewColumnsAreNotTakenForDearOnes() {
        for (int step = 0; step < 50; step++) {
            int columns = Math.max(pace.columns() / PlannedChunk.PIECE, 1) * PlannedChunk.PIECE;
            pace.record(columns, 20 * MILLI + columns * 2 * MILLI);
        }

        assertEquals(32, pace.columns(), 15);
        assertTrue(pace.columns() >= 32, "found " + pace.columns());
    }

    @Test
    void aSlowerMachineCountsSoonerThanAFasterOne() {
        StepTokenBudget slower = new StepTokenBudget(Duration.ofMillis(100));
        pace.record(50, 60 * MILLI);
        slower.record(50, 120 * MILLI);

        pace.record(50, 120 * MILLI);
        slower.record(50, 60 * MILLI);

        assertTrue(pace.columns() < slower.columns() * 3 / 2 && slower.columns() < 50);
        assertTrue(pace.columns() < 70, "found " + pace.columns());
    }

    /** A step of rows beside each prefill step reduces the time for that. */
    @Test
    void aStepOfRowsLeavesLessToOneWithPromptTokens() {
        pace.record(50, 60 * MILLI);
        int alone = pace.columns();

        pace.recordRows(40 * MILLI);

        assertEquals(alone, pace.columns());
        assertEquals(alone - 40, pace.columnsBesideStep(), 1);
    }

    @Test
    void nothingIsAllowedWhereALoneStepTakesLonger() {
        pace.record(1, 10_000 * MILLI);

        assertEquals(0, pace.columns());
    }
}
