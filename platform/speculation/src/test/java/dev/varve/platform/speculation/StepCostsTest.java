package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

class StepCostsTest {
    private static final long STEP = 10_000_000;

    /** Rounding of the product of two doubles. */
    private static final double ROUNDING = 1e-3;

    private final StepCosts costs = new StepCosts();

    @Test
    void unmeasuredCostIsUnknown() {
        assertEquals(0, costs.of(1));
        assertEquals(0, costs.of(600));
        assertFalse(costs.knows(1));
    }

    @Test
    void measuredCostIsExpectedAgain() {
        measured(1, STEP);
        measured(4, 2 * STEP);
        measured(8, 7 * STEP);

        assertEquals(STEP, costs.of(1), ROUNDING);
        assertEquals(2 * STEP, costs.of(4), ROUNDING);
        assertEquals(7 * STEP, costs.of(8), ROUNDING);
        assertTrue(costs.knows(4));
        assertFalse(costs.knows(5));
    }

    @Test
    void costIsInterpolated() {
        measured(2, STEP);
        measured(6, 3 * STEP);

        assertEquals(1.5 * STEP, costs.of(3), ROUNDING);
        assertEquals(2 * STEP, costs.of(4), ROUNDING);
        assertEquals(2.5 * STEP, costs.of(5), ROUNDING);
    }

    @Test
    void fewerTokensThanMeasuredCostLessButNotNothing() {
        measured(8, STEP);

        for (int tokens = 1; tokens < 8; tokens++) {
            assertTrue(costs.of(tokens) < costs.of(tokens + 1), "at " + tokens);
            assertTrue(costs.of(tokens) > STEP / 2, "at " + tokens);
        }
    }

    /** Even where more tokens were measured to cost no more, as many numbers are, by chance. */
    @ParameterizedTest
    @ValueSource(longs = {STEP / 2, STEP, 3 * STEP})
    void moreTokensThanMeasuredCostMore(long second) {
        measured(1, STEP);
        measured(3, second);

        for (int tokens = 3; tokens < 2000; tokens++) {
            assertTrue(costs.of(tokens) < costs.of(tokens + 1), "at " + tokens);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {511, 512})
    void tokensBeyondMeasuredOnesAreNotFree(int most) {
        measured(1, STEP);
        measured(most, 100 * STEP);

        measured(700, STEP);

        assertTrue(costs.of(700) > 130 * STEP, "700 tokens: " + costs.of(700));
        assertTrue(costs.of(701) > costs.of(700), "701 tokens: " + costs.of(701));
        assertFalse(costs.knows(700));
    }

    @Test
    void zeroTimeIsNotMeasured() {
        measured(1, 0);
        measured(1, -5);

        assertEquals(0, costs.of(1));
    }

    /** So the context grows: nobody needs to measure each number again. */
    @Test
    void slowdownScalesAllCounts() {
        measured(1, STEP);
        measured(4, 2 * STEP);

        for (int i = 0; i < 100; i++) {
            measured(1, 3 * STEP);
        }

        assertEquals(3 * STEP, costs.of(1), 0.05 * STEP);
        assertTrue(costs.of(4) > 3.5 * STEP && costs.of(4) <= 6.1 * STEP, "four: " + costs.of(4));
    }

    @Test
    void outlierStepChangesLittle() {
        measured(1, STEP);

        costs.measured(1, 1000 * STEP);

        assertTrue(costs.of(1) < 1.6 * STEP, "one: " + costs.of(1));
    }

    @Test
    void costsAreLearnedFromNoisySteps() {
        Random random = new Random(3);
        for (int i = 0; i < 5000; i++) {
            int tokens = 1 + random.nextInt(8);
            double noise = 0.9 + 0.2 * random.nextDouble();
            costs.measured(tokens, (long) (noise * actual(tokens)));
        }

        for (int tokens = 1; tokens <= 8; tokens++) {
            assertEquals(actual(tokens), costs.of(tokens), 0.1 * actual(tokens), "at " + tokens);
        }
    }

    @Test
    void firstStepOfACountIsIgnored() {
        measured(1, STEP);

        costs.measured(4, 100 * STEP);

        assertFalse(costs.knows(4));
        assertTrue(costs.of(4) < 4 * STEP, "four: " + costs.of(4));
    }

    /** 1 unit at 2 tokens and 3 at 6: half a unit for each more. */
    @Test
    void costsAreExtrapolatedLinearly() {
        measured(2, STEP);
        measured(6, 3 * STEP);

        assertEquals(3.5 * STEP, costs.of(7), ROUNDING);
        assertEquals(5 * STEP, costs.of(10), ROUNDING);
    }

    @Test
    void beyondASingleMeasurementEachTokenCostsAThird() {
        measured(4, STEP);

        // 0.35 of a fourth of the step.
        assertEquals(STEP * (1 + 0.35 / 4), costs.of(5), ROUNDING);
        assertEquals(STEP * (1 - 0.35 / 4), costs.of(3), ROUNDING);
    }

    @Test
    void flatCostsStillChargeTokensALittle() {
        measured(2, STEP);
        measured(4, STEP);

        // 0.02 of a fourth of the step.
        assertEquals(STEP * (1 + 0.02 / 4), costs.of(5), ROUNDING);
        assertEquals(STEP, costs.of(3), ROUNDING);
    }

    @Test
    void shortestOfTheFirstStepsCounts() {
        measured(1, STEP);
        measured(4, 3 * STEP);
        costs.measured(4, 2 * STEP);

        // The pace stays: no step was slower or faster than what is known of four now.
        assertEquals(2 * STEP, costs.of(4), ROUNDING);
        assertEquals(STEP, costs.of(1), ROUNDING);
    }

    /** Twice, since the first step of a number is not counted. */
    private void measured(int tokens, long nanos) {
        costs.measured(tokens, nanos);
        costs.measured(tokens, nanos);
    }

    /** A leap where a kernel takes four columns together. */
    private static double actual(int tokens) {
        return STEP * (tokens <= 4 ? 1 + 0.05 * tokens : 1.8 + 0.05 * tokens);
    }
}
