package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** The controller requests trees while they pay, and now and then as a trial. */
class TreeGainTrackerTest {
    private static final int DEPTH = 7;
    private static final int BUDGET = 22;

    private static Draft tree() {
        int[] tokens = new int[BUDGET];
        int[] parents = new int[BUDGET];
        for (int i = 0; i < BUDGET; i++) {
            tokens[i] = i;
            parents[i] = i < DEPTH ? i - 1 : i % DEPTH - 1;
        }
        return new Draft(tokens, parents, 0);
    }

    private static Draft chain() {
        return new Draft(Arrays.copyOf(tree().tokens(), DEPTH), 0);
    }

    /**
     * Runs 600 steps. In turn, 0, 1 or 2 draft tokens of a draft's path are accepted.
     *
     * @param column nanoseconds of each token of a step after its first one
     * @param gain accepted tokens of each tree beyond those of its path
     * @return number of draft tokens in the last 100 steps
     */
    private static int run(TreeOptions options, long column, int gain) {
        SpeculationController controller =
                new SpeculationController(DEPTH, OptionalInt.empty(), false, options);
        AcceptanceRates own = new AcceptanceRates(DEPTH);
        int last = 0;
        int steps = 600;
        for (int step = 0; step < steps; step++) {
            int count = 0;
            if (controller.requestsDrafts(1, 1)) {
                Draft draft = controller.branched() > 0 ? tree() : chain();
                controller.recordDraftTime(
                        1, draft.branches(), draft.branches() ? 200_000 : 150_000);
                count =
                        controller
                                .choose(
                                        List.of(
                                                new SpeculationController.DraftWithRates(
                                                        draft, own)),
                                        1)[0];
                int right = step % 3;
                own.record(0, DEPTH, right);
                controller.rates().record(0, DEPTH, right);
                if (draft.branches()) {
                    controller.trees().compared(0, gain);
                }
            }
            controller.recordStepTime(1 + count, 5_000_000 + count * column);
            last += step >= steps - 100 ? count : 0;
        }
        return last;
    }

    @ParameterizedTest
    @CsvSource({"20000, 3, true", "20000, 0, false", "1500000, 1, false"})
    void profitableTreesAreVerified(long column, int gain, boolean pays) {
        int checked = run(new TreeOptions(BUDGET, false), column, gain);

        assertEquals(pays, checked > 100 * DEPTH, checked + " guesses");
    }

    @Test
    void alwaysModeAlwaysRequestsTrees() {
        assertEquals(100 * BUDGET, run(new TreeOptions(BUDGET, true), 9_000_000, 0));
    }

    @Test
    void withoutTreesNoneIsRequested() {
        assertTrue(run(TreeOptions.OFF, 20_000, 3) <= 100 * DEPTH);
        TreeGainTracker worth = new TreeGainTracker(TreeOptions.OFF);
        int[] asked = new int[100];
        Arrays.setAll(asked, i -> worth.draftTokens());
        assertArrayEquals(new int[100], asked);
    }

    /** After eight chains come 24 trees, and then one of 32 drafts is a tree. */
    @Test
    void treesAreTriedAfterAFewChainsAndPeriodically() {
        TreeGainTracker worth = new TreeGainTracker(new TreeOptions(BUDGET, false));

        for (int draft = 0; draft < 200; draft++) {
            boolean tree = draft >= 8 && draft < 32 || draft > 0 && draft % 32 == 0;
            assertEquals(tree ? BUDGET : 0, worth.draftTokens(), "draft " + draft);
        }
    }

    @Test
    void profitableTreesAreUsedForEachDraft() {
        TreeGainTracker worth = new TreeGainTracker(new TreeOptions(BUDGET, false));
        assertEquals(0, worth.draftTokens());

        assertTrue(worth.compare(1.03, 1));
        assertEquals(BUDGET, worth.draftTokens());
        assertFalse(worth.compare(1.02, 1), "what is no clear gain is none");
        assertEquals(0, worth.draftTokens());
    }

    @Test
    void gainOfAGradeIsThatOfRecentTrees() {
        TreeGainTracker worth = new TreeGainTracker(new TreeOptions(BUDGET, false));
        assertEquals(0, worth.gain(2));

        worth.compared(2, 3);
        assertEquals(3, worth.gain(2));
        worth.compared(2, 0);
        // The first of two counts a sixtieth less.
        assertEquals(3 * (59 / 60.0) / (1 + 59 / 60.0), worth.gain(2), 1e-12);
        assertEquals(0, worth.gain(1));
    }

    @Test
    void treeCostsAtLeastAsMuchAsAChain() {
        TreeGainTracker worth = new TreeGainTracker(new TreeOptions(BUDGET, false));
        assertEquals(500, worth.overhead(1, 500), "nothing was measured");

        // The first one says nothing.
        worth.recordDraftTime(1, 800);
        worth.recordDraftTime(1, 800);

        assertEquals(800, worth.overhead(1, 500), 1e-9);
        assertEquals(900, worth.overhead(1, 900), 1e-9);
    }
}
