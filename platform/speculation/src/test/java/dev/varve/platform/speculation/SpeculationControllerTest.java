package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;

class SpeculationControllerTest {
    private static final int DEPTH = 7;
    private static final double CHANCE = 0.9;

    private final Random random = new Random(3);
    private final SpeculationController controller =
            new SpeculationController(DEPTH, OptionalInt.empty(), true);

    /** Nanoseconds of a step, and what each token in it takes beyond that. */
    private double step = 1_000_000;

    private double token = 100_000;
    private double guessing = 100_000;
    private double takingIn = 30_000;

    /** How many steps hidden states were seen of without a gap. */
    private int seen;

    private int followed;
    private int checked;
    private double time;
    private double tokens;

    private void run(int steps, int sequences) {
        followed = 0;
        checked = 0;
        time = 0;
        tokens = 0;
        for (int i = 0; i < steps; i++) {
            step(sequences);
        }
    }

    private void step(int sequences) {
        int[] counts = new int[sequences];
        if (controller.requestsDrafts(sequences, sequences)) {
            boolean ready = seen >= 16;
            Draft draft = ready ? Draft.of(new int[DEPTH]) : Draft.NONE;
            SpeculationController.DraftWithRates draftCandidate =
                    new SpeculationController.DraftWithRates(draft, new AcceptanceRates(DEPTH));
            controller.recordDraftTime(ready ? sequences : 0, false, (long) guessing);
            time += ready ? guessing : 0;
            counts = controller.choose(Collections.nCopies(sequences, draftCandidate), sequences);
        }
        int draftTokens = Arrays.stream(counts).sum();
        checked += draftTokens > 0 ? 1 : 0;
        double nanos = step + token * (sequences + draftTokens);
        controller.recordStepTime(sequences + draftTokens, (long) nanos);
        time += nanos;
        tokens += sequences;
        for (int count : counts) {
            int right = 0;
            while (right < count && random.nextDouble() < CHANCE) {
                right++;
            }
            if (count > 0) {
                controller.rates().record(0, count, right);
            }
            tokens += right;
        }
        if (controller.collectsFeatures(sequences)) {
            seen++;
            followed++;
            controller.recordFeatureTime(sequences, (long) (takingIn * sequences));
            time += takingIn * sequences;
        } else {
            seen = 0;
        }
    }

    private double speedUp(int sequences) {
        return tokens / time / (sequences / (step + token * sequences));
    }

    @Test
    void profitableDraftsCollectAllStatesAndDraftAllSteps() {
        run(100, 1);
        run(1000, 1);

        assertEquals(1000, followed);
        assertTrue(checked > 990, () -> checked + " steps with guesses");
        assertTrue(speedUp(1) > 2, () -> speedUp(1) + " times as fast");
    }

    @Test
    void unprofitableDraftsCostNothing() {
        token = 900_000;
        run(100, 4);
        run(10_000, 4);

        assertTrue(followed < 4000, () -> followed + " steps were looked at");
        assertTrue(checked > 0, "never tried again");
        assertTrue(speedUp(4) > 0.985, () -> speedUp(4) + " times as fast");
    }

    @Test
    void draftsUnprofitableForManyMayPayForOne() {
        run(200, 1);
        token = 0;
        run(200, 1);
        // Four sequences share no compute time: each token and each draft token adds its own.
        step = 0;
        token = 1_000_000;
        run(2000, 4);
        assertFalse(controller.collectsFeatures(4));

        assertTrue(controller.collectsFeatures(1), "one sequence was never found to lose");
    }

    @Test
    void laterProfitIsDetected() {
        token = 900_000;
        run(2000, 1);
        token = 10_000;
        run(4000, 1);
        run(1000, 1);

        assertTrue(checked > 900, () -> checked + " steps with guesses");
    }

    @Test
    void fixedDraftLengthIsVerified() {
        SpeculationController fixed = new SpeculationController(DEPTH, OptionalInt.of(3), true);
        SpeculationController.DraftWithRates draftCandidate =
                new SpeculationController.DraftWithRates(
                        Draft.of(1, 2, 3, 4, 5), new AcceptanceRates(DEPTH));
        SpeculationController.DraftWithRates less =
                new SpeculationController.DraftWithRates(Draft.of(1), new AcceptanceRates(DEPTH));

        assertTrue(fixed.requestsDrafts(2, 2));
        assertTrue(fixed.collectsFeatures(2));
        assertArrayEquals(new int[] {3, 1}, fixed.choose(List.of(draftCandidate, less), 2));
    }

    @Test
    void speculatorWithoutHiddenStatesGetsNone() {
        SpeculationController ngram = new SpeculationController(DEPTH, OptionalInt.empty(), false);

        assertFalse(ngram.collectsFeatures(1));
        ngram.recordStepTime(1, 1_000_000);
        ngram.recordStepTime(1, 1_000_000);
        assertTrue(ngram.requestsDrafts(1, 1));
    }

    private static final long STEP = 1_000_000;

    /** A controller with measured step times for each number of tokens. */
    private static SpeculationController measured(
            boolean takesIn, TreeOptions trees, long... nanos) {
        SpeculationController measured =
                new SpeculationController(DEPTH, OptionalInt.empty(), takesIn, trees);
        for (int tokens = 1; tokens <= nanos.length; tokens++) {
            // The controller ignores the first step of each size.
            measured.recordStepTime(tokens, nanos[tokens - 1]);
            measured.recordStepTime(tokens, nanos[tokens - 1]);
        }
        return measured;
    }

    private static SpeculationController.DraftWithRates offer(Draft draft) {
        return new SpeculationController.DraftWithRates(draft, new AcceptanceRates(DEPTH));
    }

    private static SpeculationController.DraftWithRates chain() {
        return offer(Draft.of(new int[DEPTH]));
    }

    @Test
    void nothingIsProposedBeforeTheFirstStep() {
        SpeculationController untried =
                new SpeculationController(DEPTH, OptionalInt.empty(), false);

        assertFalse(untried.requestsDrafts(1, 1));
        assertTrue(
                new SpeculationController(DEPTH, OptionalInt.of(2), false).requestsDrafts(1, 1),
                "a given width");
        assertTrue(
                new SpeculationController(DEPTH, OptionalInt.empty(), true).collectsFeatures(1),
                "states are taken in from the first one on");
    }

    @Test
    void withoutProposalsNothingIsVerified() {
        SpeculationController some = measured(false, TreeOptions.OFF, STEP, STEP);

        int[] chosen = some.choose(List.of(offer(Draft.NONE), offer(Draft.NONE)), 2);

        assertArrayEquals(new int[] {0, 0}, chosen);
    }

    /** Eight refusals in a row for one number of sequences are more than chance. */
    @Test
    void afterEightEmptyDraftsOnlyTrialsAreRequested() {
        // Each token takes the time of a step, so that no draft token pays.
        long[] nanos = new long[8];
        Arrays.setAll(nanos, i -> STEP * (i + 1));
        SpeculationController dear = measured(false, TreeOptions.OFF, nanos);
        dear.recordDraftTime(1, false, STEP);
        dear.recordDraftTime(1, false, STEP);

        int asked = 0;
        for (int i = 0; i < 60; i++) {
            if (dear.requestsDrafts(1, 1)) {
                asked++;
                dear.choose(List.of(chain()), 1);
            }
            dear.recordStepTime(1, STEP);
        }

        assertTrue(asked >= 8, asked + " times asked");
        assertTrue(asked < 30, asked + " times asked");
        assertFalse(dear.requestsDrafts(1, 1));
        assertTrue(dear.requestsDrafts(2, 2), "of two sequences nothing is known");
    }

    /** N-gram drafts take almost no time, so the controller requests them in every step. */
    @Test
    void freeDraftsAreAlwaysRequested() {
        long[] nanos = new long[8];
        Arrays.setAll(nanos, i -> STEP * (i + 1));
        SpeculationController dear = measured(false, TreeOptions.OFF, nanos);
        dear.recordDraftTime(1, false, STEP / 1000);
        dear.recordDraftTime(1, false, STEP / 1000);

        for (int i = 0; i < 60; i++) {
            assertTrue(dear.requestsDrafts(1, 1), "step " + i);
            dear.choose(List.of(chain()), 1);
            dear.recordStepTime(1, STEP);
        }
    }

    @Test
    void draftsMayNotDelayOtherSequences() {
        SpeculationController some =
                measured(false, TreeOptions.OFF, STEP, STEP, STEP, 2 * STEP, 2 * STEP, 2 * STEP);

        // One of two sequences has a draft: a step of 3 tokens takes no longer than one of 2.
        assertArrayEquals(new int[] {1}, some.choose(List.of(chain()), 2));
        // Both sequences have drafts: 2 tokens and 4 draft tokens take the time of two steps.
        int[] all = some.choose(List.of(chain(), chain()), 2);
        assertTrue(all[0] > 1 && all[1] > 1, Arrays.toString(all));
    }

    @Test
    void draftingCostIsAddedToTheStep() {
        SpeculationController cheap =
                measured(false, TreeOptions.OFF, STEP, STEP, STEP, STEP, STEP);
        assertTrue(cheap.choose(List.of(chain()), 1)[0] > 0);

        SpeculationController dear = measured(false, TreeOptions.OFF, STEP, STEP, STEP, STEP, STEP);
        dear.recordDraftTime(1, false, 5 * STEP);
        dear.recordDraftTime(1, false, 5 * STEP);
        // Nothing is left to try others with.
        dear.choose(List.of(chain()), 1);
        dear.choose(List.of(chain()), 1);
        dear.choose(List.of(chain()), 1);
        assertArrayEquals(new int[] {0}, dear.choose(List.of(chain()), 1));

        SpeculationController nobody =
                measured(false, TreeOptions.OFF, STEP, STEP, STEP, STEP, STEP);
        nobody.recordDraftTime(0, false, 50 * STEP);
        nobody.recordDraftTime(0, false, 50 * STEP);
        nobody.recordDraftTime(0, true, 50 * STEP);
        nobody.recordDraftTime(0, true, 50 * STEP);
        assertTrue(nobody.choose(List.of(chain()), 1)[0] > 0, "nothing was guessed for anybody");
    }

    private static Draft tree(int draftTokens) {
        int[] parents = new int[draftTokens];
        Arrays.setAll(parents, i -> i < DEPTH ? i - 1 : -1);
        return new Draft(new int[draftTokens], parents, 0);
    }

    @Test
    void treeIsVerifiedOnceToMeasureItsTokenCost() {
        long[] nanos = new long[8];
        Arrays.setAll(nanos, i -> STEP);
        SpeculationController some = measured(false, new TreeOptions(22, false), nanos);
        List<SpeculationController.DraftWithRates> draftCandidates = List.of(offer(tree(22)));

        assertArrayEquals(
                new int[] {22}, some.choose(draftCandidates, 1), "23 tokens were never measured");
        some.recordStepTime(23, 10 * STEP);
        some.recordStepTime(23, 10 * STEP);
        assertArrayEquals(new int[] {DEPTH}, some.choose(draftCandidates, 1), "they are dear");
    }

    @Test
    void profitableTreeIsVerified() {
        long[] nanos = new long[23];
        Arrays.setAll(nanos, i -> STEP + i);
        SpeculationController some = measured(false, new TreeOptions(22, false), nanos);
        List<SpeculationController.DraftWithRates> draftCandidates = List.of(offer(tree(22)));
        assertArrayEquals(new int[] {DEPTH}, some.choose(draftCandidates, 1), "no gain is known");

        some.trees().compared(0, 2);

        assertArrayEquals(new int[] {22}, some.choose(draftCandidates, 1));
        assertEquals(22, some.branched(), "as trees pay, the next is one, too");
        // Trees take long to draft, so the controller returns to chains.
        some.recordDraftTime(1, true, 9 * STEP);
        some.recordDraftTime(1, true, 9 * STEP);
        assertArrayEquals(new int[] {DEPTH}, some.choose(draftCandidates, 1));
        assertEquals(0, some.branched());
    }

    @Test
    void treeMayNotDelayOtherSequences() {
        long[] nanos = new long[24];
        Arrays.setAll(nanos, i -> i < 9 ? STEP : 2 * STEP);
        SpeculationController some = measured(false, new TreeOptions(22, false), nanos);
        some.trees().compared(0, 20);

        assertArrayEquals(new int[] {22}, some.choose(List.of(offer(tree(22))), 1));
        assertArrayEquals(
                new int[] {DEPTH}, some.choose(List.of(offer(tree(22))), 2), "one of two");
    }

    @Test
    void fixedLengthCutsTreesToTheirPath() {
        SpeculationController fixed = new SpeculationController(DEPTH, OptionalInt.of(20), false);

        assertArrayEquals(new int[] {DEPTH}, fixed.choose(List.of(offer(tree(22))), 1));
    }

    /** After it collects the features of some steps, the controller requests one draft. */
    @Test
    void unprofitableDraftsCollectStatesBrieflyAndTryAgain() {
        long[] nanos = new long[8];
        Arrays.setAll(nanos, i -> STEP * (i + 1));
        SpeculationController dear = measured(true, TreeOptions.OFF, nanos);
        dear.recordDraftTime(1, false, STEP);
        dear.recordDraftTime(1, false, STEP);
        dear.recordFeatureTime(1, STEP / 100);
        for (int i = 0; i < 8; i++) {
            dear.choose(List.of(chain()), 1);
        }
        assertFalse(dear.collectsFeatures(1));

        List<Integer> guessed = new ArrayList<>();
        int looked = 0;
        for (int i = 0; i < 3000; i++) {
            if (dear.requestsDrafts(1, 1)) {
                guessed.add(looked);
                dear.choose(List.of(chain()), 1);
            }
            looked = dear.collectsFeatures(1) ? looked + 1 : 0;
            dear.recordStepTime(1, STEP);
        }

        assertTrue(guessed.size() >= 1, "never tried again");
        assertTrue(guessed.size() < 30, guessed.size() + " trials");
        for (int steps : guessed) {
            assertEquals(
                    FeatureProbeSchedule.STEPS, steps, "steps that were looked at before a guess");
        }
    }
}
