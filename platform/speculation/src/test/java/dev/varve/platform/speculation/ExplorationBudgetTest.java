package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class ExplorationBudgetTest {
    private static final long STEP = 1_000_000;

    private final ExplorationBudget curiosity = new ExplorationBudget();
    private final DraftLengthOptimizer widths = new DraftLengthOptimizer(new StepCosts(), 8);

    private static List<DraftLengthOptimizer.Candidate> lengths(int... lengths) {
        return Arrays.stream(lengths)
                .mapToObj(length -> new DraftLengthOptimizer.Candidate(new double[length]))
                .toList();
    }

    @Test
    void beforeTheFirstStepNothingIsTried() {
        assertFalse(curiosity.affords(0));
    }

    @Test
    void whatWasSpentComesBackSlowly() {
        curiosity.stepTook(STEP);
        assertTrue(curiosity.affords(12 * STEP));

        curiosity.spend(12 * STEP);
        for (int step = 0; step < 150; step++) {
            curiosity.stepTook(STEP);
            assertFalse(curiosity.affords(STEP), "after " + step + " steps");
        }
        for (int step = 0; step < 100; step++) {
            curiosity.stepTook(STEP);
        }

        assertTrue(curiosity.affords(STEP));
        assertFalse(curiosity.affords(2 * STEP));
    }

    @Test
    void noMoreIsSavedThanInTheBeginning() {
        for (int step = 0; step < 100_000; step++) {
            curiosity.stepTook(STEP);
        }

        assertTrue(curiosity.affords(12 * STEP));
        assertFalse(curiosity.affords(13 * STEP));
    }

    @Test
    void whatGainsTimeIsNotPaidBack() {
        curiosity.stepTook(STEP);

        curiosity.spend(-1000 * STEP);

        assertFalse(curiosity.affords(13 * STEP));
    }

    @Test
    void allOfADraftIsTriedAndPartsOfIt() {
        int[] none = {0, 0, 0};

        assertArrayEquals(new int[] {8, 3, 0}, curiosity.more(widths, lengths(8, 3, 0), none));
        assertArrayEquals(new int[] {3, 1, 0}, curiosity.more(widths, lengths(8, 3, 0), none));
        assertArrayEquals(new int[] {1, 1, 0}, curiosity.more(widths, lengths(8, 3, 0), none));
        assertArrayEquals(new int[] {8, 3, 0}, curiosity.more(widths, lengths(8, 3, 0), none));
    }

    @Test
    void neverFewerThanTheBestAreTried() {
        int[] best = {5, 3};

        assertArrayEquals(new int[] {8, 3}, curiosity.more(widths, lengths(8, 3), best));
        assertArrayEquals(new int[] {5, 3}, curiosity.more(widths, lengths(8, 3), best));
        assertArrayEquals(new int[] {5, 3}, curiosity.more(widths, lengths(8, 3), best));
    }

    /** Half a percent of a step. */
    @Test
    void whatIsQuickBesideAStepNeedsNoSaving() {
        assertTrue(ExplorationBudget.isNothing(0, STEP));
        assertTrue(ExplorationBudget.isNothing(0.005 * STEP, STEP));
        assertFalse(ExplorationBudget.isNothing(0.0051 * STEP, STEP));
    }
}
