package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.BranchingSpeculator;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Trees of draft tokens change no token of a real model. A tree has more right draft tokens than
 * its first path.
 */
@Timeout(600)
class TreeSpeculationTest {
    @TempDir static Path folder;

    private static final int DEPTH = 7;
    private static final int BUDGET = 22;

    private static SpeculationOptions options(
            SpeculativeModel sample, List<int[]> texts, boolean always) {
        return new SpeculationOptions(
                new BranchingSpeculator(texts, DEPTH, sample.vocabulary(), List.of(), 1),
                DEPTH,
                OptionalInt.empty(),
                new TreeOptions(BUDGET, always));
    }

    /** Options for a speculator that records hidden states, with draft trees or draft chains. */
    private static SpeculationOptions options(Watched speculator, boolean trees) {
        return trees
                ? new SpeculationOptions(
                        speculator, DEPTH, OptionalInt.empty(), new TreeOptions(BUDGET, true))
                : new SpeculationOptions(speculator, DEPTH, OptionalInt.of(DEPTH));
    }

    @ParameterizedTest
    @MethodSource("dev.varve.conformance.SpeculativeModel#all")
    @ByDay(1)
    void draftTokensDoNotChangeTheOutput(Family family, TensorType type, GgmlType cache)
            throws Exception {
        SpeculativeModel sample = SpeculativeModel.of(family, type, cache, folder);
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.8f).seededWith(5);
        int[] cuts = Cpu.legalCuts(sample.file());
        List<SamplingOptions> samplings = List.of(SamplingOptions.greedy(), sampled);
        for (SamplingOptions sampling : samplings) {
            if (!Thorough.tries(2, family.ordinal(), samplings.indexOf(sampling))) {
                continue;
            }
            List<int[]> plain = sample.answers(sampling);
            List<int[]> texts = sample.texts(plain);
            for (int cut : new int[] {0, cuts[cuts.length / 2]}) {
                int[] at = cut == 0 ? new int[0] : new int[] {cut};
                try (LoadedModel model = sample.guessed(options(sample, texts, true), at)) {
                    List<Answer> guessed = sample.ask(model, sampling);
                    int beyond = 0;
                    for (int i = 0; i < plain.size(); i++) {
                        String what = sampling + ", cut " + cut + ", prompt " + i;
                        assertArrayEquals(plain.get(i), guessed.get(i).tokens(), what);
                        GenerationEnd.Speculation figures = guessed.get(i).end().speculation();
                        assertTrue(figures.verifySteps() > 0, what);
                        assertTrue(figures.drafted() > DEPTH * figures.verifySteps(), what);
                        assertEquals(
                                SpeculativeModel.COUNT - 1,
                                figures.accepted() + figures.verifySteps(),
                                1,
                                what);
                        beyond += figures.accepted();
                    }
                    assertTrue(beyond > 3 * plain.size(), "right tokens: " + beyond);
                }
            }
            try (LoadedModel model = sample.guessed(options(sample, texts, false))) {
                List<Answer> guessed = sample.ask(model, sampling);
                for (int i = 0; i < plain.size(); i++) {
                    assertArrayEquals(plain.get(i), guessed.get(i).tokens(), sampling + " " + i);
                }
            }
        }
    }

    /** Keeps the hidden states of all positions. */
    private static final class Watched implements Speculator {
        private final Speculator speculator;
        private final int width;
        private final Map<Long, TreeMap<Integer, List<float[]>>> seen = new TreeMap<>();

        Watched(Speculator speculator, int width) {
            this.speculator = speculator;
            this.width = width;
        }

        @Override
        public List<Integer> captures() {
            return speculator.captures();
        }

        @Override
        public int mostTokens() {
            return speculator.mostTokens();
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return speculator.propose(sequences);
        }

        @Override
        public void observe(HiddenStates states) {
            for (int i = 0; i < states.tokens(); i++) {
                List<float[]> layers = new ArrayList<>();
                for (HiddenStates.Layer layer : states.layers()) {
                    int begin = (layer.firstColumn() + i) * width;
                    layers.add(Arrays.copyOfRange(layer.values(), begin, begin + width));
                }
                seen.computeIfAbsent(states.sequence(), unknown -> new TreeMap<>())
                        .put(states.firstPosition() + i, layers);
            }
        }

        @Override
        public void forget(long sequence) {
            // The test compares the recorded states at its end.
        }

        @Override
        public void close() {
            speculator.close();
        }
    }

    @ParameterizedTest
    @SomeFamilies(first = 0)
    @ByDay(1)
    void hiddenStatesAreThoseOfTheAcceptedPath(Family family) throws Exception {
        SpeculativeModel sample = SpeculativeModel.of(family, TensorType.F16, GgmlType.F16, folder);
        int layers = sample.shape().layerCount();
        List<Integer> captures = List.of(0, layers / 2, layers);
        List<int[]> plain = sample.answers(SamplingOptions.greedy());
        List<int[]> texts = sample.texts(plain);
        List<Watched> runs = new ArrayList<>();
        for (boolean trees : new boolean[] {false, true}) {
            Watched speculator =
                    new Watched(
                            new BranchingSpeculator(texts, DEPTH, sample.vocabulary(), captures, 1),
                            sample.shape().embeddingLength());
            try (LoadedModel model =
                    sample.guessed(options(speculator, trees), Cpu.legalCuts(sample.file())[0])) {
                List<Answer> answers = sample.ask(model, SamplingOptions.greedy());
                for (int i = 0; i < plain.size(); i++) {
                    assertArrayEquals(plain.get(i), answers.get(i).tokens());
                }
            }
            runs.add(speculator);
        }
        assertEquals(texts.size(), runs.get(0).seen.size());
        assertEquals(runs.get(0).seen.keySet(), runs.get(1).seen.keySet());
        runs.get(0)
                .seen
                .forEach(
                        (sequence, chain) -> {
                            TreeMap<Integer, List<float[]>> tree = runs.get(1).seen.get(sequence);
                            int end = Math.min(chain.lastKey(), tree.lastKey());
                            for (int position = 0; position <= end; position++) {
                                for (int layer = 0; layer < captures.size(); layer++) {
                                    assertArrayEquals(
                                            chain.get(position).get(layer),
                                            tree.get(position).get(layer),
                                            "position " + position + ", layer " + layer);
                                }
                            }
                        });
    }
}
