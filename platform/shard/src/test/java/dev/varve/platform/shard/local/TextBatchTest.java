package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.EncoderAttention;
import dev.varve.platform.shard.local.TextBatch.Group;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

class TextBatchTest {
    private static final float NONE = Float.NEGATIVE_INFINITY;

    private static TextBatch batch(int... lengths) {
        return TextBatch.of(IntStream.of(lengths).mapToObj(int[]::new).toList());
    }

    @Test
    void textsOfOneLengthShareAnOperatorIfTheyAreLong() {
        TextBatch batch = batch(100, 300, 100, 200);

        assertEquals(
                List.of(
                        new Group(0, 1, List.of(300)),
                        new Group(300, 1, List.of(200)),
                        new Group(500, 2, List.of(100))),
                batch.groups());
        assertArrayEquals(new int[] {1, 3, 0, 2}, batch.order());
        assertArrayEquals(new int[] {0, 300, 500, 600}, batch.firstColumns());
        assertArrayEquals(new int[] {299, 499, 599, 699}, batch.lastColumns());
    }

    @Test
    void shortTextsOfUnlikeLengthsShareOneUpToALimit() {
        assertEquals(
                List.of(new Group(0, 1, List.of(60, 50)), new Group(110, 1, List.of(40, 30, 9, 9))),
                batch(9, 40, 60, 30, 50, 9).groups());
    }

    @Test
    void manyShortTextsOfOneLengthAreUnitsOfOneOperator() {
        assertEquals(
                List.of(new Group(0, 20, List.of(7))),
                batch(IntStream.generate(() -> 7).limit(20).toArray()).groups());
    }

    @Test
    void averagesWeighTheTokensOfEachText() {
        assertArrayEquals(new float[] {0.5f, 0.5f, 0, 0, 0, 1}, batch(1, 2).averages());
    }

    @Test
    void textsDoNotSeeEachOther() {
        Visibility full = Visibility.of(EncoderAttention.full(1));

        assertTrue(full.showsAll(List.of(5)));
        assertFalse(full.showsAll(List.of(2, 1)));
        assertArrayEquals(
                new float[] {0, 0, NONE, 0, 0, NONE, NONE, NONE, 0},
                full.mask(List.of(2, 1), 0, 3, 1));
    }

    @Test
    void windowReachesHalfItsSizeToBothSides() {
        Visibility near = Visibility.of(EncoderAttention.full(1).within(3));

        assertTrue(near.showsAll(List.of(2)));
        assertArrayEquals(
                new float[] {0, 0, 0, NONE, NONE, 0, 0, 0}, near.mask(List.of(4), 1, 2, 1));
    }

    @Test
    void slopesFollowTheHeads() {
        float[] mask =
                Visibility.of(EncoderAttention.full(1).withMaxBias(8)).mask(List.of(2), 0, 1, 6);

        // The distance 1 of the second key: powers of two for four heads, then those between.
        assertArrayEquals(
                new float[] {-1 / 4f, -1 / 16f, -1 / 64f, -1 / 256f, -1 / 2f, -1 / 8f},
                new float[] {mask[1], mask[3], mask[5], mask[7], mask[9], mask[11]});
    }

    @Test
    void causalTokensSeeThoseBeforeThem() {
        assertArrayEquals(
                new float[] {0, NONE, NONE, 0, 0, NONE, NONE, 0, 0},
                Visibility.causal(2).mask(List.of(3), 0, 3, 1));
    }
}
