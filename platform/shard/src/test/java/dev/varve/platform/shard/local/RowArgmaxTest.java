package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

/** The best token against the plain loop over floats, and other arithmetic on rows. */
class RowArgmaxTest {
    private static RowArgmax.FloatBitsSource bits(float[] row) {
        return (target, offset, count, first) -> {
            for (int i = 0; i < count; i++) {
                target[offset + i] = Float.floatToRawIntBits(row[(int) first + i]);
            }
        };
    }

    /** The lowest index of the largest number; -1 where there is none. */
    private static int plain(float[] row, int first, int count) {
        int best = -1;
        for (int i = 0; i < count; i++) {
            float value = row[first + i];
            if (Float.isNaN(value)) {
                return -1;
            }
            if (best < 0 || value > row[first + best]) {
                best = i;
            }
        }
        return Float.isInfinite(row[first + best]) ? -1 : best;
    }

    private static float any(SplittableRandom random) {
        return switch (random.nextInt(12)) {
            case 0 -> 0f;
            case 1 -> -0f;
            case 2 -> Float.NEGATIVE_INFINITY;
            case 3 -> -Float.MAX_VALUE;
            case 4 -> Float.MIN_VALUE;
            default -> random.nextInt(-3, 4) / 2f;
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 16, 1000})
    void firstMaximumIsFoundForAnyPartition(int part) {
        RowArgmax argmax = new RowArgmax(part);
        for (long seed = 0; seed < 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed * 13 + part);
            int first = random.nextInt(5);
            int count = 1 + random.nextInt(40);
            float[] row = new float[first + count];
            for (int i = 0; i < row.length; i++) {
                row[i] = any(random);
            }

            assertEquals(
                    plain(row, first, count),
                    argmax.find(bits(row), first, count),
                    "part " + part + ", seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 100})
    void rowWithANanHasNoArgmax(int part) {
        RowArgmax argmax = new RowArgmax(part);
        for (int at = 0; at < 10; at++) {
            for (float odd :
                    new float[] {
                        Float.NaN, Float.intBitsToFloat(0xFFC00001), Float.POSITIVE_INFINITY
                    }) {
                float[] row = {1, 5, 2, 4, 3, 1, 0, -1, -2, 7};
                row[at] = odd;

                assertEquals(-1, argmax.find(bits(row), 0, row.length), odd + " at " + at);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 128, 256})
    void rotationIsItsOwnInverse(int block) {
        float[] matrix = HadamardRotation.values(block);

        for (int row = 0; row < block; row++) {
            for (int column = 0; column < block; column++) {
                double sum = 0;
                for (int i = 0; i < block; i++) {
                    sum += (double) matrix[row * block + i] * matrix[i * block + column];
                }
                // Rounding of 1 / sqrt(block) to a float, twice.
                assertEquals(row == column ? 1 : 0, sum, 2e-7, block + ": " + row + ", " + column);
            }
        }
    }

    @Test
    void rotationSpreadsAnOutlierEvenly() {
        float[] matrix = HadamardRotation.values(64);

        for (float value : matrix) {
            assertEquals(1 / 8f, Math.abs(value));
        }
        assertTrue(matrix[0] > 0 && matrix[65] < 0);
    }
}
