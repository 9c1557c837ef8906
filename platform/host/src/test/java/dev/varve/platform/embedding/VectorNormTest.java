package dev.varve.platform.embedding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class VectorNormTest {
    private static final float[] VECTOR = {3, -4, 12};

    @Test
    void euclideanNormIsOneOfWhatIsKept() {
        assertArrayEquals(new float[] {0.6f, -0.8f}, VectorNorm.of(VECTOR, 2, 2), 1e-7f);
    }

    @Test
    void noNormOnlyCuts() {
        assertArrayEquals(new float[] {3, -4}, VectorNorm.of(VECTOR, 2, -1));
    }

    @Test
    void largestValueFitsSixteenBits() {
        assertArrayEquals(new float[] {8190, -10920, 32760}, VectorNorm.of(VECTOR, 3, 0), 1e-2f);
    }

    @Test
    void otherNormsAreSumsOfPowers() {
        assertArrayEquals(
                new float[] {3f / 19, -4f / 19, 12f / 19}, VectorNorm.of(VECTOR, 3, 1), 1e-6f);
    }

    @Test
    void zerosStay() {
        assertArrayEquals(new float[] {0, 0}, VectorNorm.of(new float[2], 2, 2));
    }
}
