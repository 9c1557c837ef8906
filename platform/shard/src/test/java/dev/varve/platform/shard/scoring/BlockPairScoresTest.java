package dev.varve.platform.shard.scoring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;

class BlockPairScoresTest {
    private static final HeadShape SHAPE = new HeadShape(8, 4, 2);

    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, 129, 300, 1024, 1025})
    void scoreMatchesItsDefinition(int tokens) {
        Random random = new Random(tokens);
        float[] queries = gaussian(8 * 4 * tokens, random);
        float[] keys = gaussian(8 * 2 * tokens, random);

        BlockPairScores scores = new BlockPairScores(SHAPE, queries, keys);

        assertEquals((tokens + 127) / 128, scores.blocks());
        for (int m = 0; m < scores.blocks(); m++) {
            for (int head = 0; head < 4; head++) {
                double[] actual = scores.of(m, head);
                for (int n = 0; n <= m; n++) {
                    // Both are sums in double, in another order.
                    assertEquals(
                            plain(queries, keys, tokens, new int[] {m, n, head}), actual[n], 1e-9);
                }
            }
        }
    }

    private static double plain(float[] queries, float[] keys, int tokens, int[] where) {
        int group = where[2] / 2;
        int keyEnd = Math.min(tokens, (where[1] + 1) * 128);
        int queryEnd = Math.min(tokens, (where[0] + 1) * 128);
        double[] dots = new double[queryEnd - where[0] * 128];
        double best = Double.NEGATIVE_INFINITY;
        for (int row = where[0] * 128; row < queryEnd; row++) {
            double dot = 0;
            for (int i = 0; i < 8; i++) {
                double mean = 0;
                for (int key = where[1] * 128; key < keyEnd; key++) {
                    mean += keys[(key * 2 + group) * 8 + i];
                }
                mean /= keyEnd - where[1] * 128;
                dot += queries[(row * 4 + where[2]) * 8 + i] * mean;
            }
            dots[row - where[0] * 128] = dot / Math.sqrt(8);
            best = Math.max(best, dot / Math.sqrt(8));
        }
        double score = 0;
        for (double dot : dots) {
            score += Math.exp(dot - best);
        }
        return score;
    }

    @Test
    void equalQueriesScoreAsManyAsThereAre() {
        float[] keys = gaussian(8 * 2 * 200, new Random(3));
        float[] queries = new float[8 * 4 * 200];
        Arrays.fill(queries, 0.5f);

        BlockPairScores scores = new BlockPairScores(SHAPE, queries, keys);

        assertArrayEquals(new double[] {128}, scores.of(0, 1), 1e-9);
        assertArrayEquals(new double[] {72, 72}, scores.of(1, 1), 1e-9);
    }

    @Test
    void meanIsOverRealKeys() {
        float[] keys = new float[8 * 2 * 130];
        Arrays.fill(keys, 3f);
        float[] queries = new float[8 * 4 * 130];
        Arrays.fill(queries, 0.5f);

        BlockPairScores scores = new BlockPairScores(SHAPE, queries, keys);

        // The last block has 2 keys, whose mean is that of the other one.
        assertArrayEquals(new double[] {2, 2}, scores.of(1, 1), 1e-9);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 300, 1025})
    void attentionToAllBlocksIsFullAttention(int tokens) {
        Random random = new Random(tokens);
        float[] queries = gaussian(8 * 4 * tokens, random);
        float[] keys = gaussian(8 * 2 * tokens, random);
        float[] values = gaussian(8 * 2 * tokens, random);
        int blocks = (tokens + 127) / 128;
        int[][][] chosen =
                PlainSparseAttention.blocks(
                        SHAPE, queries, keys, new BlockSelectionRule(0.5, 0, blocks, 0));

        double[] actual = PlainSparseAttention.attend(SHAPE, queries, keys, values, chosen);

        assertArrayEquals(dense(queries, keys, values, tokens), actual, 1e-9);
    }

    @Test
    void skippedBlocksDoNotMatter() {
        int tokens = 1100;
        Random random = new Random(7);
        float[] queries = gaussian(8 * 4 * tokens, random);
        float[] keys = gaussian(8 * 2 * tokens, random);
        float[] values = gaussian(8 * 2 * tokens, random);
        int[][][] chosen =
                PlainSparseAttention.blocks(
                        SHAPE, queries, keys, new BlockSelectionRule(0.99, 1, 1, 1));
        double[] before = PlainSparseAttention.attend(SHAPE, queries, keys, values, chosen);

        int lost = 0;
        for (int block = 1; block < 8; block++) {
            boolean seen = false;
            for (int head = 0; head < 4; head++) {
                for (int other : chosen[7][head]) {
                    seen |= other == block;
                }
            }
            if (!seen) {
                lost++;
                for (int i = block * 128 * 16; i < (block + 1) * 128 * 16; i++) {
                    values[i] = 1e6f;
                }
            }
        }

        assertTrue(lost > 0, "nothing was left out");
        double[] after = PlainSparseAttention.attend(SHAPE, queries, keys, values, chosen);
        for (int i = 7 * 128 * 32; i < 8 * 128 * 32; i++) {
            assertEquals(before[i], after[i]);
        }
    }

    private static double[] dense(float[] queries, float[] keys, float[] values, int tokens) {
        double[] attended = new double[queries.length];
        for (int token = 0; token < tokens; token++) {
            for (int head = 0; head < 4; head++) {
                int at = (token * 4 + head) * 8;
                double sum = 0;
                for (int key = 0; key <= token; key++) {
                    int row = (key * 2 + head / 2) * 8;
                    double dot = 0;
                    for (int i = 0; i < 8; i++) {
                        dot += (double) queries[at + i] * keys[row + i];
                    }
                    double weight = Math.exp(dot / Math.sqrt(8));
                    sum += weight;
                    for (int i = 0; i < 8; i++) {
                        attended[at + i] += weight * values[row + i];
                    }
                }
                for (int i = 0; i < 8; i++) {
                    attended[at + i] /= sum;
                }
            }
        }
        return attended;
    }

    @Test
    void queryHeadsShareKeyHeadsInOrder() {
        HeadShape shape = new HeadShape(128, 16, 8);

        assertEquals(0, shape.keyHead(1));
        assertEquals(1, shape.keyHead(2));
        assertEquals(7, shape.keyHead(15));
    }

    @Test
    void rowsOfDifferentTextsAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new BlockPairScores(SHAPE, new float[8 * 4 * 3], new float[8 * 2 * 2]));
        assertThrows(
                IllegalArgumentException.class,
                () -> new BlockPairScores(SHAPE, new float[0], new float[0]));
    }

    private static float[] gaussian(int count, Random random) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
