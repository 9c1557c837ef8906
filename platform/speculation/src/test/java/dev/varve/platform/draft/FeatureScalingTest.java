package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeatureScalingTest {
    @Test
    void statesInRangeAreUnchanged() {
        float[] states = {1, -32_768, 0, Float.MIN_VALUE};
        float[] divisors = {1, 1};

        assertSame(states, FeatureScaling.divide(states, 2, 2, divisors));
        assertArrayEquals(new float[] {1, 1}, divisors);
    }

    @ParameterizedTest
    @ValueSource(floats = {32_769, 65_504, 65_536, -1e6f, 3e38f})
    void largeStatesAreScaledWithoutLoss(float large) {
        float[] states = {3, 5, large, 7, 1, 2};
        float[] divisors = {1, 1, 1};

        float[] divided = FeatureScaling.divide(states, 2, 3, divisors);

        assertEquals(large, states[2], "what is given is not changed");
        assertEquals(1, divisors[0]);
        assertEquals(1, divisors[2]);
        assertTrue(Math.abs(divided[2]) <= 32_768, "still " + divided[2]);
        assertTrue(Math.abs(divided[2]) >= 16_384, "too small: " + divided[2]);
        for (int i = 0; i < states.length; i++) {
            assertEquals(states[i], divided[i] * divisors[i / 2], "state " + i);
        }
    }

    @Test
    void nonFiniteStatesAreUnchanged() {
        float[] states = {Float.NaN, 1e6f, Float.POSITIVE_INFINITY, 1};
        float[] divisors = {1, 1};

        FeatureScaling.divide(states, 2, 2, divisors);

        assertArrayEquals(new float[] {1, 1}, divisors);
    }
}
