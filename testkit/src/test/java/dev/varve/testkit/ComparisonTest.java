package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ComparisonTest {
    @Test
    void lowerIdWinsATie() {
        assertEquals(new Comparison.TopTwo(1, 3, 0f), Comparison.topTwo(new float[] {1, 4, 2, 4}));
    }

    @Test
    void secondBestMayComeFirst() {
        assertEquals(new Comparison.TopTwo(2, 0, 1f), Comparison.topTwo(new float[] {3, 1, 4}));
    }

    @Test
    void relativeL2IsTheNormOfTheDifferenceOverTheNorm() {
        assertEquals(0.1, Comparison.relativeL2(new float[] {3, 4}, new float[] {3, 4.5f}), 1e-12);
    }

    @Test
    void nanIsInfinitelyFar() {
        assertEquals(
                Double.POSITIVE_INFINITY,
                Comparison.relativeL2(new float[] {1, 2}, new float[] {1, Float.NaN}));
    }

    @Test
    void rowTooFarAwayIsNamed() {
        float[][] expected = {{1, 2}, {3, 4}};
        float[][] actual = {{1, 2}, {3, 4.5f}};

        var failure =
                assertThrows(
                        AssertionError.class,
                        () -> Comparison.assertGradeC("case", expected, actual, 0.05));

        assertTrue(
                failure.getMessage().startsWith("case: row 1 of 2: relative L2 0.1"),
                failure.getMessage());
    }

    @Test
    void greedyRunMayDivergeAtACloseChoice() {
        var run = new Comparison.GreedyRun(new int[] {0, 1}, new float[][] {{2, 1}, {1, 1.03f}});

        assertDoesNotThrow(
                () -> Comparison.assertGreedyGradeC("case", run, new int[] {0, 0}, 0.01));
    }

    @Test
    void greedyRunMustNotDivergeAtAClearChoice() {
        var run = new Comparison.GreedyRun(new int[] {0, 1}, new float[][] {{2, 1}, {1, 1.05f}});

        assertThrows(
                AssertionError.class,
                () -> Comparison.assertGreedyGradeC("case", run, new int[] {0, 0}, 0.01));
    }
}
