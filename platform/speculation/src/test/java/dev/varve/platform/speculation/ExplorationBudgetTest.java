package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class ExplorationBudgetTest {
    private static final long STEP = 1_000_000;

    private final ExplorationBudget exploration = new ExplorationBudget();
    private final DraftLengthOptimizer widths = new DraftLengthOptimizer(new StepCosts(), 8);

    private static List<DraftLengthOptimizer.Candidate> lengths(int... lengths) {
        return Arrays.stream(lengths)
                .mapToObj(length -> new DraftLengthOptimizer.Candidate(new double[length]))
                .toList();
    }

    @Test
    void nothingIsExploredBeforeTheFirstStep() {
        assertFalse(exploration.canSpend(0));
    }

    @Test
    void spentBudgetRefillsSlowly() {
        exploration.recordStepTime(STEP);
        assertTrue(exploration.canSpend(12 * STEP));

        exploration.spend(12 * STEP);
        for (int step = 0; step < 150; step++) {
            exploration.recordStepTime(STEP);
            assertFalse(exploration.canSpend(STEP), "after " + step + " steps");
        }
        for (int step = 0; step < 100; step++) {
            exploration.recordStepTime(STEP);
        }

        assertTrue(exploration.canSpend(STEP));
        assertFalse(exploration.canSpend(2 * STEP));
    }

    @Test
    void budgetIsAtMostItsInitialValue() {
        for (int step = 0; step < 100_000; step++) {
            exploration.recordStepTime(STEP);
        }

        assertTrue(exploration.canSpend(12 * STEP));
        assertFalse(exploration.canSpend(13 * STEP));
    }

    @Test
    void gainedTimeIsNotCredited() {
        exploration.recordStepTime(STEP);

        exploration.spend(-1000 * STEP);

        assertFalse(exploration.canSpend(13 * STEP));
    }

    @Test
    void wholeDraftAndPrefixesAreExplored() {
        int[] none = {0, 0, 0};

        assertArrayEquals(new int[] {8, 3, 0}, exploration.more(widths, lengths(8, 3, 0), none));
        assertArrayEquals(new int[] {3, 1, 0}, exploration.more(widths, lengths(8, 3, 0), none));
        assertArrayEquals(new int[] {1, 1, 0}, exploration.more(widths, lengths(8, 3, 0), none));
        assertArrayEquals(new int[] {8, 3, 0}, exploration.more(widths, lengths(8, 3, 0), none));
    }

    @Test
    void neverFewerThanTheBestAreExplored() {
        int[] best = {5, 3};

        assertArrayEquals(new int[] {8, 3}, exploration.more(widths, lengths(8, 3), best));
        assertArrayEquals(new int[] {5, 3}, exploration.more(widths, lengths(8, 3), best));
        assertArrayEquals(new int[] {5, 3}, exploration.more(widths, lengths(8, 3), best));
    }

    /** Half a percent of a step. */
    @Test
    void cheapTrialNeedsNoBudget() {
        assertTrue(ExplorationBudget.isNothing(0, STEP));
        assertTrue(ExplorationBudget.isNothing(0.005 * STEP, STEP));
        assertFalse(ExplorationBudget.isNothing(0.0051 * STEP, STEP));
    }
}
