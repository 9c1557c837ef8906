package dev.varve.platform.shard.scoring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;

class TailAttentionTest {
    private static final HeadShape SHAPE = new HeadShape(6, 4, 2);

    @ParameterizedTest
    @ValueSource(ints = {9, 16, 61})
    void scoresAreThoseOfThePlainLoop(int tokens) {
        Random random = new Random(4711 + tokens);
        float[][] queries = {gaussian(6 * 4 * 8, random), gaussian(6 * 4 * 8, random)};
        float[][] keys = {gaussian(6 * 2 * tokens, random), gaussian(6 * 2 * tokens, random)};
        TailAttention attention = new TailAttention(new TailQueries(tokens));

        for (int layer = 0; layer < 2; layer++) {
            for (int head = 0; head < 4; head++) {
                attention.add(
                        flat(
                                PlainTokenScores.probabilities(
                                        SHAPE, queries[layer], keys[layer], head)));
            }
        }

        double[] expected = PlainTokenScores.scores(SHAPE, queries, keys);
        float[] actual = attention.scores();
        for (int token = 0; token < tokens; token++) {
            // Probabilities and scores are rounded to float, at most 2^-24 each.
            assertEquals(expected[token], actual[token], 1.2e-7, "token " + token);
        }
    }

    @Test
    void equalKeysAreAttendedToByThoseThatSeeThem() {
        float[][] queries = {gaussian(6 * 4 * 8, new Random(1))};
        float[][] keys = {new float[6 * 2 * 12]};

        double[] scores = PlainTokenScores.scores(SHAPE, queries, keys);

        double all = 0;
        for (int seen = 5; seen <= 12; seen++) {
            all += 1.0 / seen / 8;
        }
        assertEquals(all, scores[0], 1e-12);
        assertEquals(all, scores[4], 1e-12);
        assertEquals(1.0 / 12 / 8, scores[11], 1e-12);
    }

    @Test
    void whatAQueryDoesNotSeeIsNotLookedAt() {
        TailAttention attention = new TailAttention(new TailQueries(9));
        float[] probabilities = new float[9 * 8];
        Arrays.fill(probabilities, 1);

        attention.add(probabilities);

        float[] scores = attention.scores();
        assertEquals(1, scores[0]);
        assertEquals(1, scores[1]);
        assertEquals(7 / 8f, scores[2]);
        assertEquals(1 / 8f, scores[8]);
    }

    @Test
    void whatIsNoNumberStaysNone() {
        TailAttention attention = new TailAttention(new TailQueries(9));
        float[] probabilities = new float[9 * 8];
        probabilities[3 * 9] = Float.NaN;

        attention.add(probabilities);
        attention.add(new float[9 * 8]);

        assertTrue(Float.isNaN(attention.scores()[0]));
        assertEquals(0, attention.scores()[1]);
    }

    @Test
    void attentionOfAnotherLengthIsRefused() {
        TailAttention attention = new TailAttention(new TailQueries(9));

        assertThrows(IllegalArgumentException.class, () -> attention.add(new float[80]));
    }

    private static float[] flat(double[][] rows) {
        float[] flat = new float[rows.length * rows[0].length];
        for (int row = 0; row < rows.length; row++) {
            for (int i = 0; i < rows[row].length; i++) {
                flat[row * rows[row].length + i] = (float) rows[row][i];
            }
        }
        return flat;
    }

    static float[] gaussian(int count, Random random) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
