package dev.varve.platform.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RelativeErrorTest {
    private static final float INFINITY = Float.NEGATIVE_INFINITY;

    @Test
    void errorIsTheRelativeNormOfTheDifference() {
        assertEquals(0.2, RelativeError.of(new float[] {3, 4}, new float[] {3, 5}), 1e-9, "1 of 5");
    }

    @Test
    void equalInfinitiesAgreeAndOthersDoNot() {
        float[] masked = {1, INFINITY};

        assertEquals(0, RelativeError.of(masked, masked.clone()));
        assertEquals(Double.POSITIVE_INFINITY, RelativeError.of(masked, new float[] {1, 7}));
        assertEquals(
                Double.POSITIVE_INFINITY,
                RelativeError.of(new float[] {1, 7}, new float[] {1, Float.NaN}));
    }

    @Test
    void nonZeroInsteadOfZerosIsAnInfiniteError() {
        assertEquals(0, RelativeError.of(new float[2], new float[2]));
        assertEquals(Double.POSITIVE_INFINITY, RelativeError.of(new float[2], new float[] {0, 1}));
    }
}
