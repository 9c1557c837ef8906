package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

class ChunkScorerTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 6, 7, 12, 13, 14, 100})
    void smoothedScoreIsTheMeanOfThirteenAndOfFewerAtTheEdges(int tokens) {
        float[] scores = scores(tokens, 17);

        double[] smooth = SmoothScores.of(scores, 13);

        for (int token = 0; token < tokens; token++) {
            double sum = 0;
            int count = 0;
            for (int i = 0; i < tokens; i++) {
                if (Math.abs(i - token) <= 6) {
                    sum += scores[i];
                    count++;
                }
            }
            assertEquals(sum / count, smooth[token], 1e-12, "token " + token);
        }
    }

    @Test
    void lastChunkIsTheMeanOfItsTokens() {
        double[] smooth = new double[40];
        Arrays.fill(smooth, 0, 32, 1);
        Arrays.fill(smooth, 32, 40, 5);

        assertArrayEquals(
                new double[] {1, 5}, ChunkScorer.of(smooth, new ChunkGrid(40, 32), new BitSet()));
    }

    /** So that ties are ties: a tenth has no exact sum in binary. */
    @Test
    void equalScoresGiveEqualChunks() {
        float[] scores = new float[1000];
        Arrays.fill(scores, 0.1f);

        double[] values =
                ChunkScorer.of(SmoothScores.of(scores, 13), new ChunkGrid(1000, 32), new BitSet());

        for (double value : values) {
            assertEquals(0.1f, value);
        }
    }

    @Test
    void protectedTokensDoNotCount() {
        BitSet fixed = new BitSet();
        fixed.set(0, 3);
        fixed.set(4, 8);

        double[] values =
                ChunkScorer.of(
                        new double[] {9, 9, 9, 2, 9, 9, 9, 9, 3}, new ChunkGrid(9, 4), fixed);

        assertArrayEquals(new double[] {2, 0, 3}, values);
    }

    static float[] scores(int tokens, long seed) {
        Random random = new Random(seed);
        float[] scores = new float[tokens];
        for (int i = 0; i < tokens; i++) {
            scores[i] = random.nextFloat();
        }
        return scores;
    }
}
