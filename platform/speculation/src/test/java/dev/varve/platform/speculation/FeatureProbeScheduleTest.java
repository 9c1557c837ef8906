package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** While drafts do not pay, the policy collects hidden states for a few steps now and then. */
class FeatureProbeScheduleTest {
    private final FeatureProbeSchedule probeSchedule = new FeatureProbeSchedule();

    @Test
    void costIsTheTimePerCollectedToken() {
        assertEquals(0, probeSchedule.cost(3));

        probeSchedule.recordTime(10, 4000);
        probeSchedule.recordTime(30, 12_000);

        assertEquals(400.0 * FeatureProbeSchedule.STEPS * 3, probeSchedule.cost(3));
    }

    @Test
    void latestOfManyTokensCountMost() {
        probeSchedule.recordTime(1 << 13, 100L << 13);
        assertEquals(100.0 * FeatureProbeSchedule.STEPS, probeSchedule.cost(1));

        probeSchedule.recordTime(1 << 13, 300L << 13);
        assertEquals(200.0 * FeatureProbeSchedule.STEPS, probeSchedule.cost(1), "both alike");

        // The first 16,384 count as 8,192 now.
        probeSchedule.recordTime(1 << 12, 500L << 12);
        assertEquals(300.0 * FeatureProbeSchedule.STEPS, probeSchedule.cost(1));
    }

    @Test
    void collectionContinuesForItsStepsAndMarksTheLast() {
        assertFalse(probeSchedule.isActive());

        probeSchedule.begin();

        for (int step = 1; step <= FeatureProbeSchedule.STEPS; step++) {
            assertTrue(probeSchedule.isActive(), "before step " + step);
            assertEquals(
                    step == FeatureProbeSchedule.STEPS, probeSchedule.countStep(), "step " + step);
        }
        assertFalse(probeSchedule.isActive());
    }
}
