package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.speculation.DraftLengthOptimizer.Candidate;
import dev.varve.platform.speculation.DraftLengthOptimizer.Step;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class DraftLengthOptimizerTest {
    private static final double NO_LIMIT = Double.POSITIVE_INFINITY;

    /** Factor on the rate without drafts that drafts must reach. */
    private static final double WORTH_IT = 1.02;

    /** Factor by which fewer draft tokens must be better than more of them. */
    private static final double CLEARLY = 1.03;

    private static final int DEPTH = 5;

    private final StepCosts costs = new StepCosts();

    /** Costs of 1, 2, 3 ... tokens. */
    private void cost(double... each) {
        for (int i = 0; i < each.length; i++) {
            // The costs ignore the first step of each size.
            costs.measured(1 + i, 1);
            costs.measured(1 + i, (long) (1e9 * each[i]));
        }
    }

    private int[] choose(Step step, double[]... chances) {
        int depth = Arrays.stream(chances).mapToInt(each -> each.length).max().orElse(1);
        return choose(Math.max(1, depth), step, chances);
    }

    private int[] choose(int depth, Step step, double[]... chances) {
        return new DraftLengthOptimizer(costs, depth)
                .choose(Arrays.stream(chances).map(Candidate::new).toList(), step);
    }

    private static Step step(int sequences) {
        return new Step(sequences, 0, NO_LIMIT);
    }

    private static double[] chances(double... each) {
        return each;
    }

    @Test
    void nothingIsDraftedBeforeAStepIsMeasured() {
        assertArrayEquals(new int[] {0, 0}, choose(step(2), chances(1, 1), chances(1)));
    }

    @Test
    void withoutProposalsNothingIsChosen() {
        cost(1, 1, 1);

        assertArrayEquals(new int[] {}, choose(step(1)));
        assertArrayEquals(new int[] {0}, choose(step(1), chances()));
    }

    @Test
    void freeTokensVerifyAllUsefulDraftTokens() {
        cost(1, 1, 1, 1, 1, 1, 1, 1);

        assertArrayEquals(new int[] {3, 1}, choose(step(2), chances(0.9, 0.5, 0.5), chances(0.1)));
        assertArrayEquals(
                new int[] {3, 3}, choose(step(2), chances(0.9, 0.5, 0.5), chances(0.1, 0, 1)));
    }

    /** 1, 3, 7 and 15, and as many as a draft can have. */
    @Test
    void fewBatchSizesAreUsed() {
        cost(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
        double[] six = chances(1, 1, 1, 1, 1, 1);

        assertArrayEquals(new int[] {3}, choose(15, step(1), six));
        assertArrayEquals(new int[] {3}, choose(7, step(1), six));
        assertArrayEquals(new int[] {6}, choose(6, step(1), six));
        assertArrayEquals(new int[] {1}, choose(6, step(1), chances(1, 1)));
        assertArrayEquals(new int[] {6, 3}, choose(6, step(2), six, chances(1, 1, 1, 1)));
    }

    @Test
    void noDraftPaysWhenTokensCostAsMuchAsSteps() {
        cost(1, 2, 3, 4, 5);

        assertArrayEquals(new int[] {0}, choose(step(1), chances(1, 1, 1, 1)));
    }

    /** One draft token for each sequence, three for the first one, or three for the second one. */
    @Test
    void mostProbableDraftTokensComeFirst() {
        cost(1, 1, 1, 1, 1.05, 10, 10, 10);

        assertArrayEquals(
                new int[] {1, 1}, choose(step(2), chances(0.9, 0.3, 0.3), chances(0.9, 0.3, 0.3)));
        assertArrayEquals(
                new int[] {3, 0}, choose(step(2), chances(0.9, 0.9, 0.9), chances(0.3, 0.9, 0.9)));
        assertArrayEquals(
                new int[] {0, 3}, choose(step(2), chances(0.3, 0.9, 0.9), chances(0.9, 0.9, 0.9)));
    }

    @Test
    void costStepIsCrossedIfItPays() {
        cost(1, 1.9, 1.9, 1.9, 1.9, 1.9);

        assertArrayEquals(new int[] {5}, choose(step(1), chances(1, 1, 1, 1, 1)));
        assertArrayEquals(new int[] {0}, choose(step(1), chances(0.4, 0.4, 0.4, 0.4, 0.4)));
    }

    @Test
    void draftingCostIsIncluded() {
        cost(1, 1.1, 1.2);

        assertArrayEquals(new int[] {2}, choose(new Step(1, 0, NO_LIMIT), chances(0.8, 0.8)));
        assertArrayEquals(new int[] {0}, choose(new Step(1, 2e9, NO_LIMIT), chances(0.8, 0.8)));
    }

    @Test
    void delayOfOthersIsLimited() {
        cost(1, 1.01, 1.04, 1.2);

        assertArrayEquals(new int[] {1}, choose(new Step(1, 0, 1.05), chances(1, 1, 1)));
        assertArrayEquals(new int[] {3}, choose(new Step(1, 0, 1.3), chances(1, 1, 1)));
        assertArrayEquals(new int[] {0}, choose(new Step(1, 5e7, 1.05), chances(1, 1, 1)));
    }

    @Test
    void negligibleGainIsDropped() {
        cost(1, 1);

        assertArrayEquals(new int[] {0}, choose(step(1), chances(0.01)));
        assertArrayEquals(new int[] {1}, choose(step(1), chances(0.05)));
    }

    /** 5 draft tokens give 4.24 tokens in 1.37 s or 1.5 s; 3 draft tokens give 4 in 1.3 s. */
    @ParameterizedTest
    @CsvSource({"1.37, 5", "1.5, 3"})
    void fewerDraftTokensMustBeClearlyBetter(double all, int expected) {
        cost(1, 1.1, 1.2, 1.3, 1.34, all);

        assertArrayEquals(new int[] {expected}, choose(step(1), chances(1, 1, 1, 0.2, 0.2)));
    }

    @Test
    void otherDraftsCostTheTimeOfTheBest() {
        cost(1, 1.5, 2);
        List<Candidate> candidates = List.of(new Candidate(chances(0.5, 0.5)));
        DraftLengthOptimizer widths = new DraftLengthOptimizer(costs, 2);
        Step step = new Step(1, 1e8, NO_LIMIT);

        // 2 s and the draft time of 0.1 s give 1.75 tokens, which take 1.75 s without drafts.
        assertEquals(0.35e9, widths.loss(candidates, step, new int[] {2}, new int[] {0}), 1e6);
        assertEquals(0, widths.loss(candidates, step, new int[] {2}, new int[] {2}), 1e6);
        assertEquals(1e9, widths.nanos(step, new int[] {0}), 1e6);
        assertEquals(1.6e9, widths.nanos(step, new int[] {1}), 1e6);
    }

    /** With drafts of one length, compared with each width for each part of the sequences. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noOtherChoiceGivesClearlyMoreTokensPerTime(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            StepCosts some = new StepCosts();
            long time = 1_000_000_000;
            for (int tokens = 1; tokens <= 16; tokens++) {
                some.measured(tokens, 1);
                some.measured(tokens, time);
                time += random.nextInt(3) == 0 ? random.nextInt(600_000_000) : 10_000_000;
            }
            int length = random.nextInt(DEPTH + 1);
            List<Candidate> candidates =
                    IntStream.range(0, 1 + random.nextInt(3))
                            .mapToObj(i -> random.doubles(length).map(Math::sqrt))
                            .map(chances -> new Candidate(chances.toArray()))
                            .toList();
            Step step =
                    new Step(
                            candidates.size() + random.nextInt(2),
                            random.nextInt(100_000_000),
                            random.nextBoolean() ? NO_LIMIT : 1 + random.nextDouble());

            int[] chosen = new DraftLengthOptimizer(some, DEPTH).choose(candidates, step);

            double best = best(some, candidates, step);
            double plain = step.sequences() / some.of(step.sequences());
            double expected = best > WORTH_IT * plain ? best : plain;
            double actual =
                    IntStream.of(chosen).sum() == 0 ? plain : rate(some, candidates, step, chosen);
            String what =
                    "seed " + seed + ", round " + round + ": chosen " + Arrays.toString(chosen);
            assertTrue(actual < expected * (1 + 1e-9), what);
            assertTrue(CLEARLY * actual > expected * (1 - 1e-9), what);
        }
    }

    /** The highest rate of all widths and all sets of sequences that have it. */
    private static double best(StepCosts costs, List<Candidate> candidates, Step step) {
        double best = 0;
        for (int width : new int[] {1, 3, DEPTH}) {
            for (int set = 1; set < 1 << candidates.size(); set++) {
                int[] widths = new int[candidates.size()];
                for (int i = 0; i < widths.length; i++) {
                    int length = Math.min(width, candidates.get(i).probabilities().length);
                    int usual = length == DEPTH ? DEPTH : length >= 3 ? 3 : Math.min(length, 1);
                    widths[i] = (set >> i & 1) * usual;
                }
                if (IntStream.of(widths).sum() > 0) {
                    best = Math.max(best, rate(costs, candidates, step, widths));
                }
            }
        }
        return best;
    }

    /** Tokens per time; 0 where others would wait too long. */
    private static double rate(
            StepCosts costs, List<Candidate> candidates, Step step, int[] widths) {
        double tokens = step.sequences();
        for (int i = 0; i < widths.length; i++) {
            double chance = 1;
            for (int depth = 0; depth < widths[i]; depth++) {
                chance *= candidates.get(i).probabilities()[depth];
                tokens += chance;
            }
        }
        double time = costs.of(step.sequences() + IntStream.of(widths).sum()) + step.overhead();
        boolean allowed = time <= step.slowest() * costs.of(step.sequences());
        return allowed ? tokens / time : 0;
    }
}
