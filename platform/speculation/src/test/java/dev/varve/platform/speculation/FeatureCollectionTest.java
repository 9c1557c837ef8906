package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Where guesses do not pay, hidden states are taken in for a few steps now and then. */
class FeatureCollectionTest {
    private final FeatureCollection collection = new FeatureCollection();

    @Test
    void itCostsWhatTokensTookInEachOfItsSteps() {
        assertEquals(0, collection.cost(3));

        collection.recordTime(10, 4000);
        collection.recordTime(30, 12_000);

        assertEquals(400.0 * FeatureCollection.STEPS * 3, collection.cost(3));
    }

    @Test
    void ofManyTokensTheLastOnesCountMost() {
        collection.recordTime(1 << 13, 100L << 13);
        assertEquals(100.0 * FeatureCollection.STEPS, collection.cost(1));

        collection.recordTime(1 << 13, 300L << 13);
        assertEquals(200.0 * FeatureCollection.STEPS, collection.cost(1), "both alike");

        // The first 16,384 count as 8,192 now.
        collection.recordTime(1 << 12, 500L << 12);
        assertEquals(300.0 * FeatureCollection.STEPS, collection.cost(1));
    }

    @Test
    void itLooksOnForItsStepsAndSaysWhichIsTheLast() {
        assertFalse(collection.isActive());

        collection.begin();

        for (int step = 1; step <= FeatureCollection.STEPS; step++) {
            assertTrue(collection.isActive(), "before step " + step);
            assertEquals(step == FeatureCollection.STEPS, collection.countStep(), "step " + step);
        }
        assertFalse(collection.isActive());
    }
}
