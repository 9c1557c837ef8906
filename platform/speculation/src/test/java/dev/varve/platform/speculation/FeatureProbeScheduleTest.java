package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** While drafts do not pay, the policy collects hidden states for a few steps now and then. */
class FeatureProbeScheduleTest {
    private final FeatureProbeSchedule collection = new FeatureProbeSchedule();

    @Test
    void costIsTheTimePerCollectedToken() {
        assertEquals(0, collection.cost(3));

        collection.recordTime(10, 4000);
        collection.recordTime(30, 12_000);

        assertEquals(400.0 * FeatureProbeSchedule.STEPS * 3, collection.cost(3));
    }

    @Test
    void latestOfManyTokensCountMost() {
        collection.recordTime(1 << 13, 100L << 13);
        assertEquals(100.0 * FeatureProbeSchedule.STEPS, collection.cost(1));

        collection.recordTime(1 << 13, 300L << 13);
        assertEquals(200.0 * FeatureProbeSchedule.STEPS, collection.cost(1), "both alike");

        // The first 16,384 count as 8,192 now.
        collection.recordTime(1 << 12, 500L << 12);
        assertEquals(300.0 * FeatureProbeSchedule.STEPS, collection.cost(1));
    }

    @Test
    void collectionContinuesForItsStepsAndMarksTheLast() {
        assertFalse(collection.isActive());

        collection.begin();

        for (int step = 1; step <= FeatureProbeSchedule.STEPS; step++) {
            assertTrue(collection.isActive(), "before step " + step);
            assertEquals(
                    step == FeatureProbeSchedule.STEPS, collection.countStep(), "step " + step);
        }
        assertFalse(collection.isActive());
    }
}
