package dev.varve.conformance;

import static dev.varve.conformance.RandomDraft.TARGET;
import static dev.varve.conformance.RandomDraft.TINY;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DsparkModel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * A draft tree has the draft tokens that are the likeliest ones by the formulas, in plain
 * arithmetic.
 */
@Timeout(300)
class TreeDraftTest {
    private static final double CLOSE = 0.05;
    private static final int BUDGET = 22;
    private static final int RANKS = 8;

    @TempDir static Path folder;

    /** Chances of all tokens of a slot behind another token, as logarithms. */
    @FunctionalInterface
    private interface Chances {
        /**
         * @param walked the token of the slot on the path that the network drafts without a tree
         */
        double[] of(double[][] states, int slot, int before, int walked);
    }

    private record Step(List<Integer> path, double logProbability) {}

    private static double[] logSoftMax(double[] logits) {
        double largest = Arrays.stream(logits).max().orElseThrow();
        double sum = Arrays.stream(logits).map(each -> Math.exp(each - largest)).sum();
        return Arrays.stream(logits).map(each -> each - largest - Math.log(sum)).toArray();
    }

    /** The best of a slot by themselves share what they have, by what the token before changes. */
    private static double[] shared(double[] alone, double[] changed, int count, int walked) {
        int[] best =
                IntStream.concat(
                                IntStream.range(0, alone.length)
                                        .boxed()
                                        .sorted(
                                                Comparator.comparingDouble((Integer i) -> alone[i])
                                                        .reversed())
                                        .limit(count)
                                        .mapToInt(Integer::intValue),
                                IntStream.of(walked))
                        .distinct()
                        .toArray();
        double[] probabilities = logSoftMax(alone);
        double together = Arrays.stream(best).mapToDouble(i -> Math.exp(probabilities[i])).sum();
        double[] among = logSoftMax(Arrays.stream(best).mapToDouble(i -> changed[i]).toArray());
        double[] all = new double[alone.length];
        Arrays.fill(all, Double.NEGATIVE_INFINITY);
        for (int i = 0; i < best.length; i++) {
            all[best[i]] = among[i] + Math.log(together);
        }
        return all;
    }

    private static void requireBest(RandomDraft draft, int first, Chances chances) {
        for (FlashAttention attention : List.of(FlashAttention.ON, FlashAttention.OFF)) {
            try (DflashSpeculator speculator = draft.open(Cpu.device(), attention)) {
                DraftText text = new DraftText(TARGET.size(), 7);
                for (int more : new int[] {17, 1, 30, 45, 20}) {
                    speculator.observe(text.extend(more, TINY.captures()));
                    Draft chain = propose(speculator, text, 0);
                    Draft tree = propose(speculator, text, BUDGET);
                    assertEquals(BUDGET, tree.tokens().length);
                    assertTrue(tree.spine() >= chain.tokens().length);
                    assertArrayEquals(
                            chain.tokens(),
                            Arrays.copyOf(tree.tokens(), chain.tokens().length),
                            "the path is what it guesses without others");
                    requireBest(
                            draft.states(text),
                            first,
                            chances,
                            text.tokens.getLast(),
                            chain.tokens().length,
                            tree);
                }
            }
        }
    }

    private static Draft propose(DflashSpeculator speculator, DraftText text, int branched) {
        DraftRequest request = text.request(15);
        return speculator
                .propose(
                        List.of(
                                new DraftRequest(
                                        request.sequence(), request.tokens(), 15, branched)))
                .getFirst();
    }

    private static void requireBest(
            double[][] states, int first, Chances chances, int known, int depth, Draft tree) {
        Map<List<Integer>, Double> found = new HashMap<>();
        found.put(List.of(), 0.0);
        List<List<Integer>> paths = new ArrayList<>();
        for (int i = 0; i < tree.tokens().length; i++) {
            List<Integer> before = tree.parents()[i] < 0 ? List.of() : paths.get(tree.parents()[i]);
            List<Integer> path = new ArrayList<>(before);
            path.add(tree.tokens()[i]);
            assertTrue(path.size() <= depth);
            int last = before.isEmpty() ? known : before.getLast();
            double own =
                    chances.of(states, first + before.size(), last, tree.tokens()[before.size()])[
                            tree.tokens()[i]];
            assertTrue(found.put(path, found.get(before) + own) == null, "twice: " + path);
            paths.add(path);
        }
        List<List<Integer>> spine = paths.subList(0, depth);
        double least = least(states, first, chances, known, depth, tree.tokens().length, spine);
        for (List<Integer> path : paths.subList(depth, paths.size())) {
            assertTrue(found.get(path) >= least - CLOSE, path + ": " + found.get(path));
        }
    }

    /**
     * Returns the log chance of the least likely draft token that a tree should have beside a path.
     */
    private static double least(
            double[][] states,
            int first,
            Chances chances,
            int known,
            int depth,
            int count,
            List<List<Integer>> spine) {
        PriorityQueue<Step> best =
                new PriorityQueue<>(Comparator.comparingDouble(Step::logProbability).reversed());
        best.add(new Step(List.of(), 0));
        int taken = depth;
        double least = 0;
        while (taken < count) {
            Step step = best.poll();
            if (!step.path().isEmpty() && !spine.contains(step.path())) {
                taken++;
                least = step.logProbability();
            }
            int slot = step.path().size();
            if (slot == depth) {
                continue;
            }
            int last = slot == 0 ? known : step.path().getLast();
            double[] all = chances.of(states, first + slot, last, spine.getLast().get(slot));
            IntStream.range(0, all.length)
                    .boxed()
                    .sorted(Comparator.comparingDouble((Integer i) -> all[i]).reversed())
                    .limit(RANKS)
                    .forEach(
                            token -> {
                                List<Integer> path = new ArrayList<>(step.path());
                                path.add(token);
                                best.add(new Step(path, step.logProbability() + all[token]));
                            });
        }
        return least;
    }

    @Test
    void dflashTreesMatchThePlainForward() throws Exception {
        RandomDraft draft = RandomDraft.of(TINY, Optional.empty(), TINY.writer(), folder);
        requireBest(
                draft,
                1,
                (states, slot, before, walked) -> logSoftMax(draft.plain().logits(states[slot])));
    }

    @Test
    void dsparkTreesMatchThePlainForward() throws Exception {
        for (boolean fromAnchor : new boolean[] {true, false}) {
            DsparkModel model = DsparkModel.of(TINY, fromAnchor);
            RandomDraft draft = RandomDraft.of(model, model.writer(), folder);
            requireBest(
                    draft,
                    fromAnchor ? 0 : 1,
                    (states, slot, before, walked) ->
                            shared(
                                    draft.plain().logits(states[slot]),
                                    draft.walk().biased(states[slot], before),
                                    64,
                                    walked));
        }
    }

    /** Rows of the head are other numbers than the target's tokens. */
    @Test
    void shortDsparkTreesMatchThePlainForward() throws Exception {
        DsparkModel model = DsparkModel.of(RandomDraft.own(100), true);
        RandomDraft draft = RandomDraft.of(model, model.writer(), folder);
        requireBest(
                draft,
                0,
                (states, slot, before, walked) -> {
                    double[] rows =
                            shared(
                                    draft.plain().logits(states[slot]),
                                    draft.walk().biased(states[slot], before),
                                    64,
                                    walked / 2);
                    double[] tokens = new double[RandomDraft.VOCABULARY];
                    Arrays.fill(tokens, Double.NEGATIVE_INFINITY);
                    for (int row = 0; row < rows.length; row++) {
                        tokens[2 * row + 1] = rows[row];
                    }
                    return tokens;
                });
    }

    @Test
    void dflash2TreesMatchThePlainForward() throws Exception {
        Dflash2Model model = Dflash2Model.of(TINY);
        RandomDraft draft = RandomDraft.of(model, model.writer(), folder);
        requireBest(
                draft,
                1,
                (states, slot, before, walked) -> {
                    double[] alone = draft.walk().unary(model.scores(), states[slot]);
                    double[] changed = alone.clone();
                    for (int token = 0; token < changed.length; token++) {
                        changed[token] += draft.walk().transition(states[slot], before, token);
                    }
                    return shared(alone, changed, model.selector().candidates(), walked);
                });
    }
}
