package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

class KeyPoolingTest {
    /** The term that keeps lengths from being zero shortens vectors by a part in a million. */
    private static final float TOLERANCE = 1e-5f;

    private static final int LENGTH = 8;

    private static float[] unit(int axis) {
        float[] vector = new float[LENGTH];
        vector[axis] = 1;
        return vector;
    }

    private static float[] joined(float[]... vectors) {
        float[] all = new float[vectors.length * LENGTH];
        for (int i = 0; i < vectors.length; i++) {
            System.arraycopy(vectors[i], 0, all, i * LENGTH, LENGTH);
        }
        return all;
    }

    @Test
    void manyKeysPointWhereTheirSumDoes() {
        float[] rows = joined(unit(0), unit(1), unit(0), unit(1));

        float[] keys = KeyPooling.pool(rows, LENGTH, LENGTH, 1).orElseThrow();

        float half = (float) Math.sqrt(0.5);
        assertArrayEquals(new float[] {half, half, 0, 0, 0, 0, 0, 0}, keys, TOLERANCE);
    }

    @Test
    void runsOfPositionsAreToldApart() {
        float[] rows = joined(unit(0), unit(0), unit(3), unit(3));

        float[] keys = KeyPooling.pool(rows, LENGTH, LENGTH, 2).orElseThrow();

        assertArrayEquals(joined(unit(0), unit(3)), keys, TOLERANCE);
        assertEquals(1, KeyPooling.best(unit(3), 1, keys, LENGTH, 1), TOLERANCE);
    }

    /** As a plain loop in double has it, for heads and groups that are no powers of two. */
    @ParameterizedTest
    @CsvSource({"1, 1, 8", "2, 1, 64", "3, 4, 64", "5, 8, 64", "2, 64, 64"})
    void everyHeadOfEveryGroupHasItsOwnDirection(int heads, int groups, int positions) {
        SplittableRandom random = new SplittableRandom(heads * 100 + groups);
        int row = heads * LENGTH;
        float[] rows = new float[positions * row];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = (float) random.nextGaussian();
        }

        float[] keys = KeyPooling.pool(rows, LENGTH, row, groups).orElseThrow();

        assertEquals(row * groups, keys.length);
        for (int group = 0; group < groups; group++) {
            for (int head = 0; head < heads; head++) {
                double[] sum = new double[LENGTH];
                for (int position = group * positions / groups;
                        position < (group + 1) * positions / groups;
                        position++) {
                    for (int i = 0; i < LENGTH; i++) {
                        sum[i] += rows[position * row + head * LENGTH + i];
                    }
                }
                double length = Math.sqrt(Arrays.stream(sum).map(each -> each * each).sum());
                for (int i = 0; i < LENGTH; i++) {
                    assertEquals(
                            sum[i] / length,
                            keys[group * row + head * LENGTH + i],
                            TOLERANCE,
                            "group " + group + ", head " + head);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.MAX_VALUE})
    void keysThatAreNoNumbersHaveNoDirection(float value) {
        float[] rows = joined(unit(0), unit(1), unit(0), unit(1));
        rows[9] = value;
        rows[25] = value;

        assertEquals(Optional.empty(), KeyPooling.pool(rows, LENGTH, LENGTH, 1));
    }

    @Test
    void keysThatAreNothingPointNowhere() {
        float[] keys = KeyPooling.pool(new float[4 * LENGTH], LENGTH, LENGTH, 2).orElseThrow();

        assertArrayEquals(new float[2 * LENGTH], keys);
        assertEquals(0, KeyPooling.best(unit(0), 1, keys, LENGTH, 1));
    }

    @Test
    void vectorsAreBroughtToLengthOneEachForItself() {
        float[] vectors = {3, 4, 0, 0, -5e-2f, 0, 1e20f, 1e20f};

        assertTrue(KeyPooling.normalise(vectors, 2));

        float half = (float) Math.sqrt(0.5);
        // A short vector is short by more of the term.
        assertArrayEquals(
                new float[] {0.6f, 0.8f, 0, 0, -1, 0, half, half}, vectors, 20 * TOLERANCE);
        assertFalse(KeyPooling.normalise(new float[] {1, 0, 0, Float.NaN}, 2));
    }

    @Test
    void aQueryReadsTheHeadOfItsGroupAlone() {
        float[] keys = joined(unit(1), unit(2));
        for (int head = 0; head < 6; head++) {
            float[] queries = joined(unit(7), unit(7), unit(7), unit(7), unit(7), unit(7));
            System.arraycopy(unit(1), 0, queries, head * LENGTH, LENGTH);

            float found = KeyPooling.best(queries, 6, keys, LENGTH, 2);

            assertEquals(head < 3 ? 1 : 0, found, "head " + head);
        }
    }

    @Test
    void theBestOfAllTokensAndHeadsCounts() {
        float[] keys = joined(unit(1), unit(2));
        float[] opposite = unit(1);
        opposite[1] = -1;
        float[] queries = joined(opposite, opposite, unit(5), unit(2), opposite, unit(3));

        assertEquals(1, KeyPooling.best(queries, 2, keys, LENGTH, 2));
        assertEquals(-1, KeyPooling.best(opposite, 1, unit(1), LENGTH, 1));
    }

    /** Lengths that are no multiples of the sums that go side by side. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 96, 127})
    void noElementIsLeftOut(int length) {
        SplittableRandom random = new SplittableRandom(length);
        float[] query = new float[length];
        float[] key = new float[length];
        double expected = 0;
        for (int i = 0; i < length; i++) {
            query[i] = (float) random.nextGaussian();
            key[i] = (float) random.nextGaussian();
            expected += (double) query[i] * key[i];
        }

        assertEquals(expected, KeyPooling.best(query, 1, key, length, 1), length * TOLERANCE);
    }
}
