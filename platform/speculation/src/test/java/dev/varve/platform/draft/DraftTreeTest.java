package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** A tree contains the likeliest draft tokens; fixed candidates give the same tree every time. */
class DraftTreeTest {
    private static final int DEPTH = 4;
    private static final int CANDIDATES = 5;

    private static BlockCandidates slots(Random random, boolean linked) {
        int[][] rows = new int[DEPTH][];
        float[][] shares = new float[DEPTH][CANDIDATES];
        List<float[]> links = new ArrayList<>();
        for (int slot = 0; slot < DEPTH; slot++) {
            rows[slot] = random.ints(0, 100).distinct().limit(CANDIDATES).toArray();
            for (int i = 0; i < CANDIDATES; i++) {
                shares[slot][i] = random.nextFloat() / CANDIDATES;
            }
            float[] link = new float[CANDIDATES * (slot == 0 ? 1 : CANDIDATES)];
            for (int i = 0; i < link.length; i++) {
                link[i] = 3 * random.nextFloat();
            }
            links.add(link);
        }
        return new BlockCandidates(rows, shares, linked ? Optional.of(links) : Optional.empty());
    }

    /** The best of each slot behind the one before. */
    private static int[] spine(BlockCandidates slots) {
        int[] spine = new int[DEPTH];
        int before = 0;
        for (int slot = 0; slot < DEPTH; slot++) {
            BlockCandidates.Ranked best = slots.rank(slot, before, 1).getFirst();
            spine[slot] = best.row();
            before = best.index();
        }
        return spine;
    }

    /** A path through the slots, by rows. */
    private record Candidate(List<Integer> path, double logProbability) {}

    private static void all(
            BlockCandidates slots, Candidate before, int index, List<Candidate> found) {
        int slot = before.path().size();
        if (slot == DEPTH) {
            return;
        }
        for (BlockCandidates.Ranked next : slots.rank(slot, index, TokenLattice.RANKS)) {
            List<Integer> path = new ArrayList<>(before.path());
            path.add(next.row());
            Candidate own = new Candidate(path, before.logProbability() + next.logProbability());
            found.add(own);
            all(slots, own, next.index(), found);
        }
    }

    private static List<List<Integer>> paths(DraftTree tree) {
        List<List<Integer>> paths = new ArrayList<>();
        for (int i = 0; i < tree.rows().length; i++) {
            List<Integer> path = new ArrayList<>();
            for (int node = i; node >= 0; node = tree.parents()[node]) {
                assertTrue(tree.parents()[node] < node);
                path.addFirst(tree.rows()[node]);
            }
            paths.add(path);
        }
        return paths;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bestAlternativesFollowThePath(boolean linked) {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            BlockCandidates slots = slots(random, linked);
            int[] spine = spine(slots);
            int budget = DEPTH + 1 + random.nextInt(30);
            DraftTree tree = DraftTree.of(slots, spine, DEPTH, budget);
            List<Candidate> all = new ArrayList<>();
            all(slots, new Candidate(List.of(), 0), 0, all);
            List<List<Integer>> seed = new ArrayList<>();
            for (int i = 1; i <= DEPTH; i++) {
                seed.add(IntStream.of(spine).limit(i).boxed().toList());
            }
            all.removeIf(candidate -> seed.contains(candidate.path()));
            all.sort(Comparator.comparingDouble(Candidate::logProbability).reversed());
            List<List<Integer>> expected = new ArrayList<>(seed);
            all.stream().limit(budget - DEPTH).map(Candidate::path).forEach(expected::add);

            List<List<Integer>> found = paths(tree);

            assertEquals(expected, found, "round " + round);
            assertEquals(found.size(), Set.copyOf(found).size(), "each path once");
        }
    }

    @Test
    void equalProbabilitiesAreInInsertionOrder() {
        BlockCandidates slots =
                new BlockCandidates(
                        new int[][] {{7, 3, 5}, {2, 9, 4}},
                        new float[][] {{0.25f, 0.25f, 0.25f}, {0.25f, 0.25f, 0.25f}},
                        Optional.empty());

        DraftTree tree = DraftTree.of(slots, new int[] {3, 2}, 2, 8);

        assertArrayEquals(new int[] {3, 2, 5, 7, 4, 2, 2, 9}, tree.rows());
        assertArrayEquals(new int[] {-1, 0, -1, -1, 0, 2, 3, 0}, tree.parents());
    }

    /** A network's own path need not be what is likeliest of each slot. */
    @Test
    void alternativePathStaysWhole() {
        BlockCandidates slots = slots(new Random(1), true);

        DraftTree unknown = DraftTree.of(slots, new int[] {500, 501, 502}, DEPTH, 12);
        int[] second = {
            slots.rank(0, 0, 2).get(1).row(),
            slots.rank(1, slots.rank(0, 0, 2).get(1).index(), 3).get(2).row()
        };
        DraftTree unlikely = DraftTree.of(slots, second, DEPTH, 12);

        assertArrayEquals(
                new int[] {500, 501, 502}, IntStream.of(unknown.rows()).limit(3).toArray());
        assertArrayEquals(new int[] {-1, 0, 1}, IntStream.of(unknown.parents()).limit(3).toArray());
        assertEquals(12, unknown.rows().length);
        assertArrayEquals(second, IntStream.of(unlikely.rows()).limit(2).toArray());
        assertEquals(new HashSet<>(paths(unlikely)).size(), unlikely.rows().length);
    }

    @Test
    void nonFiniteProbabilityIsNotProposed() {
        BlockCandidates slots =
                new BlockCandidates(
                        new int[][] {{1, 2, 3}, {4, 5, 5}},
                        new float[][] {{Float.NaN, 0.5f, 0}, {0.5f, 0.2f, 0.2f}},
                        Optional.empty());

        DraftTree tree = DraftTree.of(slots, new int[] {2, 4}, 2, 9);

        assertArrayEquals(new int[] {2, 4, 5}, tree.rows());
        assertArrayEquals(new int[] {-1, 0, 0}, tree.parents());
    }

    @Test
    void withoutRoomThereIsThePathOnly() {
        BlockCandidates slots = slots(new Random(2), false);
        int[] spine = spine(slots);

        DraftTree tree = DraftTree.of(slots, spine, DEPTH, DEPTH);

        assertArrayEquals(spine, tree.rows());
        assertArrayEquals(new int[] {-1, 0, 1, 2}, tree.parents());
    }
}
