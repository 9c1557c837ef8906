package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Where guesses do not pay, hidden states are taken in for a few steps now and then. */
class FeatureCollectionTest {
    private final FeatureCollection following = new FeatureCollection();

    @Test
    void itCostsWhatTokensTookInEachOfItsSteps() {
        assertEquals(0, following.cost(3));

        following.took(10, 4000);
        following.took(30, 12_000);

        assertEquals(400.0 * FeatureCollection.STEPS * 3, following.cost(3));
    }

    @Test
    void ofManyTokensTheLastOnesCountMost() {
        following.took(1 << 13, 100L << 13);
        assertEquals(100.0 * FeatureCollection.STEPS, following.cost(1));

        following.took(1 << 13, 300L << 13);
        assertEquals(200.0 * FeatureCollection.STEPS, following.cost(1), "both alike");

        // The first 16,384 count as 8,192 now.
        following.took(1 << 12, 500L << 12);
        assertEquals(300.0 * FeatureCollection.STEPS, following.cost(1));
    }

    @Test
    void itLooksOnForItsStepsAndSaysWhichIsTheLast() {
        assertFalse(following.isUnderWay());

        following.begin();

        for (int step = 1; step <= FeatureCollection.STEPS; step++) {
            assertTrue(following.isUnderWay(), "before step " + step);
            assertEquals(step == FeatureCollection.STEPS, following.passed(), "step " + step);
        }
        assertFalse(following.isUnderWay());
    }
}
