package dev.varve.platform.shard.scoring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

class PlainTokenScoresTest {
    private static final HeadShape SHAPE = new HeadShape(6, 4, 2);

    @Test
    void equalKeysAreAttendedByThoseThatSeeThem() {
        float[] queries = new float[6 * 4 * 8];
        Arrays.fill(queries, 0.5f);
        float[][] keys = {new float[6 * 2 * 12]};

        double[] scores = PlainTokenScores.scores(SHAPE, new float[][] {queries}, keys);

        double all = 0;
        for (int seen = 5; seen <= 12; seen++) {
            all += 1.0 / seen / 8;
        }
        assertEquals(all, scores[0], 1e-12);
        assertEquals(all, scores[4], 1e-12);
        assertEquals(1.0 / 12 / 8, scores[11], 1e-12);
    }
}
