package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class StepTokenBudgetTest {
    private static final long MILLI = 1_000_000;

    private final StepTokenBudget tokenBudget = new StepTokenBudget(Duration.ofMillis(100));

    @Test
    void unmeasuredBudgetIsSmall() {
        assertEquals(PlannedChunk.PIECE, tokenBudget.columns());
    }

    /** A step costs 20 ms and 2 ms a column: 35 columns take 90 ms. */
    @Test
    void stepsConvergeToTheTimeBudget() {
        for (int step = 0; step < 50; step++) {
            int columns = tokenBudget.columns();
            tokenBudget.record(columns, 20 * MILLI + columns * 2 * MILLI);
        }

        assertEquals(35, tokenBudget.columns(), 1);
    }

    /** Piece sizes are far apart: 32 columns fit, 48 do not. */
    @Test
    void fewColumnsAreNotOverestimated() {
        for (int step = 0; step < 50; step++) {
            int columns =
                    Math.max(tokenBudget.columns() / PlannedChunk.PIECE, 1) * PlannedChunk.PIECE;
            tokenBudget.record(columns, 20 * MILLI + columns * 2 * MILLI);
        }

        assertEquals(32, tokenBudget.columns(), 15);
        assertTrue(tokenBudget.columns() >= 32, "found " + tokenBudget.columns());
    }

    @Test
    void slowdownIsLearnedFasterThanSpeedup() {
        StepTokenBudget slower = new StepTokenBudget(Duration.ofMillis(100));
        tokenBudget.record(50, 60 * MILLI);
        slower.record(50, 120 * MILLI);

        tokenBudget.record(50, 120 * MILLI);
        slower.record(50, 60 * MILLI);

        assertTrue(tokenBudget.columns() < slower.columns() * 3 / 2 && slower.columns() < 50);
        assertTrue(tokenBudget.columns() < 70, "found " + tokenBudget.columns());
    }

    /** A step of rows beside each prefill step reduces the time for that. */
    @Test
    void decodeRowsReduceTheBudgetForPromptTokens() {
        tokenBudget.record(50, 60 * MILLI);
        int alone = tokenBudget.columns();

        tokenBudget.recordRows(40 * MILLI);

        assertEquals(alone, tokenBudget.columns());
        assertEquals(alone - 40, tokenBudget.columnsBesideStep(), 1);
    }

    @Test
    void budgetIsZeroWhenAPlainStepExceedsIt() {
        tokenBudget.record(1, 10_000 * MILLI);

        assertEquals(0, tokenBudget.columns());
    }
}
