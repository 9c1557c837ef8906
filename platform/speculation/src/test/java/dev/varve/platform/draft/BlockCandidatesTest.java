package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/** Candidates of a slot are ranked by their chance behind the candidate that was taken before. */
class BlockCandidatesTest {
    private static final double TOLERANCE = 1e-6;

    private static BlockCandidates of(int[] rows, float[] shares) {
        return new BlockCandidates(new int[][] {rows}, new float[][] {shares}, Optional.empty());
    }

    private static List<Integer> rows(List<BlockCandidates.Ranked> ranked) {
        return ranked.stream().map(BlockCandidates.Ranked::row).toList();
    }

    @Test
    void mostProbableComesFirstAndTiesByLowerRow() {
        BlockCandidates slots = of(new int[] {9, 4, 7, 2}, new float[] {0.1f, 0.3f, 0.1f, 0.4f});

        List<BlockCandidates.Ranked> ranked = slots.rank(0, 0, 4);

        assertEquals(List.of(2, 4, 7, 9), rows(ranked));
        assertEquals(
                List.of(3, 1, 2, 0), ranked.stream().map(BlockCandidates.Ranked::index).toList());
        assertEquals(Math.log(0.4), ranked.getFirst().logProbability(), TOLERANCE);
        assertEquals(Math.log(0.1), ranked.getLast().logProbability(), TOLERANCE);
    }

    @Test
    void atMostTheRequestedNumberIsRanked() {
        BlockCandidates slots = of(new int[] {9, 4, 7}, new float[] {0.1f, 0.3f, 0.2f});

        assertEquals(List.of(4, 7), rows(slots.rank(0, 0, 2)));
        assertEquals(List.of(4, 7, 9), rows(slots.rank(0, 0, 3)));
        assertEquals(List.of(4, 7, 9), rows(slots.rank(0, 0, 5)));
    }

    @Test
    void nonFiniteProbabilitiesAndRepeatedRowsAreDropped() {
        BlockCandidates slots =
                of(
                        new int[] {9, 4, 7, 4, 5},
                        new float[] {Float.NaN, 0.3f, 0, 0.3f, Float.POSITIVE_INFINITY});

        assertEquals(List.of(4), rows(slots.rank(0, 0, 5)));
    }

    /** Two slots of three rows, where the second depends on the first. */
    private static BlockCandidates linked(float[] shares, float[] first, float[] second) {
        return new BlockCandidates(
                new int[][] {{1, 2, 3}, {4, 5, 6}},
                new float[][] {shares, shares},
                Optional.of(List.of(first, second)));
    }

    @Test
    void transitionsShiftProbabilitiesByTheCandidateBefore() {
        float[] shares = {0.5f, 0.3f, 0.2f};
        float[] behind = {0, 0, 0, 2, 0, 0, 0, 0, 4};
        BlockCandidates slots = linked(shares, new float[] {0, 3, 0}, behind);

        assertEquals(List.of(2, 1, 3), rows(slots.rank(0, 2, 3)), "the known token alone counts");
        assertEquals(List.of(4, 5, 6), rows(slots.rank(1, 0, 3)));
        assertEquals(List.of(4, 5, 6), rows(slots.rank(1, 1, 3)));
        assertEquals(List.of(6, 4, 5), rows(slots.rank(1, 2, 3)));
        // 0.2 e^4 of 0.5 + 0.3 + 0.2 e^4, all shares together being 1.
        double weight = 0.2 * Math.exp(4);
        assertEquals(
                Math.log(weight / (0.8 + weight)),
                slots.rank(1, 2, 1).getFirst().logProbability(),
                TOLERANCE);
    }

    @Test
    void linkedCandidatesKeepTheirOwnProbability() {
        float[] shares = {0.2f, 0.1f, 0.1f};
        BlockCandidates slots = linked(shares, new float[] {5, 1, 2}, new float[9]);

        double together = 0;
        for (BlockCandidates.Ranked each : slots.rank(0, 0, 3)) {
            together += Math.exp(each.logProbability());
        }

        assertEquals(0.4, together, TOLERANCE);
    }

    @Test
    void sumsAboveOneAreNormalized() {
        float[] shares = {0.5f, 0.4f, 0.2f};
        BlockCandidates slots = linked(shares, new float[3], new float[9]);

        assertEquals(
                Math.log(0.5 / 1.1), slots.rank(0, 0, 1).getFirst().logProbability(), TOLERANCE);
    }

    @Test
    void repeatedRowCountsOnceAmongLinkedOnes() {
        BlockCandidates slots =
                new BlockCandidates(
                        new int[][] {{1, 2, 1}},
                        new float[][] {{0.3f, 0.3f, 0.3f}},
                        Optional.of(List.of(new float[] {0, 0, 7})));

        List<BlockCandidates.Ranked> ranked = slots.rank(0, 0, 3);

        assertEquals(List.of(1, 2), rows(ranked));
        assertEquals(Math.log(0.3), ranked.getFirst().logProbability(), TOLERANCE);
        assertEquals(1, slots.slots());
    }
}
