package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.BranchingSpeculator;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.DraftRoom;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Trees of guesses change no token of a real model, and find more of them than their first path.
 */
@Timeout(600)
class TreeSpeculationTest {
    private static final int COUNT = 40;
    private static final int PARALLEL = 3;

    @TempDir static Path folder;

    private static final int DEPTH = 7;
    private static final int BUDGET = 22;

    private record Sample(Path file, int vocabulary, List<int[]> prompts, ModelSettings settings) {
        static Sample of(Family family, TensorType type, GgmlType cache) throws Exception {
            RandomModel spec = family.wide(type);
            Path file = spec.write(folder);
            GgufFile gguf = GgufFile.open(file);
            ModelSettings settings = Cpu.settings(1024, PARALLEL, new CacheTypes(cache, cache));
            return new Sample(
                    file,
                    Cpu.family(gguf).open(gguf, ModelOptions.defaults()).shape().vocabularySize(),
                    // The middle one passes a block of slots, and the last one a window.
                    List.of(spec.tokens(19, 1), spec.tokens(240, 2), spec.tokens(600, 3)),
                    settings.with(settings.computation().with(ExactRows.ON)));
        }

        LoadedModel plain() {
            return Cpu.load(file, settings);
        }

        LoadedModel guessed(List<int[]> texts, boolean always, int... cuts) {
            return Cpu.load(
                    file,
                    settings.with(new DraftRoom(BUDGET, List.of())),
                    new LoadedModel.Extras(
                            Optional.empty(),
                            Optional.of(
                                    new SpeculationOptions(
                                            new BranchingSpeculator(
                                                    texts, DEPTH, vocabulary, List.of(), 1),
                                            DEPTH,
                                            OptionalInt.empty(),
                                            new TreeOptions(BUDGET, always)))),
                    cuts);
        }

        /** Guesses whose hidden states are looked at; trees, or one after the other. */
        LoadedModel seen(Watched speculator, boolean trees, int... cuts) {
            return Cpu.load(
                    file,
                    settings.with(new DraftRoom(BUDGET, speculator.captures())),
                    new LoadedModel.Extras(
                            Optional.empty(),
                            Optional.of(
                                    new SpeculationOptions(
                                            speculator,
                                            DEPTH,
                                            trees ? OptionalInt.empty() : OptionalInt.of(DEPTH),
                                            trees
                                                    ? new TreeOptions(BUDGET, true)
                                                    : TreeOptions.OFF))),
                    cuts);
        }

        List<Answer> ask(LoadedModel model, SamplingOptions sampling) {
            List<Answer> answers =
                    prompts.stream().map(prompt -> Answer.of(prompt, COUNT, sampling)).toList();
            Answer.submit(model.engine(), answers);
            return answers;
        }
    }

    static Stream<Arguments> models() {
        return Thorough.first(
                4,
                List.of(
                        Arguments.of(Family.QWEN35, TensorType.Q4_0, GgmlType.Q8_0),
                        Arguments.of(Family.QWEN35MOE, TensorType.Q8_0, GgmlType.F16),
                        Arguments.of(Family.GEMMA4, TensorType.F16, GgmlType.F16),
                        Arguments.of(Family.LAGUNA, TensorType.F16, GgmlType.F16),
                        Arguments.of(Family.QWEN35, TensorType.F16, GgmlType.F16),
                        Arguments.of(Family.QWEN35, TensorType.Q4_K, GgmlType.F16),
                        Arguments.of(Family.GEMMA4, TensorType.Q4_0, GgmlType.Q8_0),
                        Arguments.of(Family.LAGUNA, TensorType.Q6_K, GgmlType.F16)));
    }

    @ParameterizedTest
    @MethodSource("models")
    void guessesChangeNoToken(Family family, TensorType type, GgmlType cache) throws Exception {
        Sample sample = Sample.of(family, type, cache);
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.8f).seededWith(5);
        int[] cuts = Cpu.legalCuts(sample.file());
        for (SamplingOptions sampling : List.of(SamplingOptions.greedy(), sampled)) {
            List<int[]> plain = new ArrayList<>();
            try (LoadedModel model = sample.plain()) {
                for (Answer answer : sample.ask(model, sampling)) {
                    plain.add(answer.tokens());
                }
            }
            List<int[]> texts =
                    IntStream.range(0, plain.size())
                            .mapToObj(i -> join(sample.prompts().get(i), plain.get(i)))
                            .toList();
            for (int cut : new int[] {0, cuts[cuts.length / 2]}) {
                int[] at = cut == 0 ? new int[0] : new int[] {cut};
                try (LoadedModel model = sample.guessed(texts, true, at)) {
                    List<Answer> guessed = sample.ask(model, sampling);
                    int beyond = 0;
                    for (int i = 0; i < plain.size(); i++) {
                        String what = sampling + ", cut " + cut + ", prompt " + i;
                        assertArrayEquals(plain.get(i), guessed.get(i).tokens(), what);
                        GenerationEnd.Speculation figures = guessed.get(i).end().speculation();
                        assertTrue(figures.verifySteps() > 0, what);
                        assertTrue(figures.drafted() > DEPTH * figures.verifySteps(), what);
                        assertEquals(
                                COUNT - 1, figures.accepted() + figures.verifySteps(), 1, what);
                        beyond += figures.accepted();
                    }
                    assertTrue(beyond > 3 * plain.size(), "right tokens: " + beyond);
                }
            }
            try (LoadedModel model = sample.guessed(texts, false)) {
                List<Answer> guessed = sample.ask(model, sampling);
                for (int i = 0; i < plain.size(); i++) {
                    assertArrayEquals(plain.get(i), guessed.get(i).tokens(), sampling + " " + i);
                }
            }
        }
    }

    private static int[] join(int[] first, int[] second) {
        return IntStream.concat(IntStream.of(first), IntStream.of(second)).toArray();
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
            // What was seen is compared in the end.
        }

        @Override
        public void close() {
            speculator.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void hiddenStatesAreThoseOfThePathThatWasTaken(Family family) throws Exception {
        Sample sample = Sample.of(family, TensorType.F16, GgmlType.F16);
        ModelShape shape =
                Cpu.family(GgufFile.open(sample.file()))
                        .open(GgufFile.open(sample.file()), ModelOptions.defaults())
                        .shape();
        List<Integer> captures = List.of(0, shape.layerCount() / 2, shape.layerCount());
        List<int[]> texts = new ArrayList<>();
        try (LoadedModel model = sample.plain()) {
            for (Answer answer : sample.ask(model, SamplingOptions.greedy())) {
                texts.add(join(sample.prompts().get(texts.size()), answer.tokens()));
            }
        }
        List<Watched> runs = new ArrayList<>();
        for (boolean trees : new boolean[] {false, true}) {
            Watched speculator =
                    new Watched(
                            new BranchingSpeculator(texts, DEPTH, sample.vocabulary(), captures, 1),
                            shape.embeddingLength());
            try (LoadedModel model =
                    sample.seen(speculator, trees, Cpu.legalCuts(sample.file())[0])) {
                List<Answer> answers = sample.ask(model, SamplingOptions.greedy());
                for (int i = 0; i < texts.size(); i++) {
                    int[] text = join(sample.prompts().get(i), answers.get(i).tokens());
                    assertArrayEquals(texts.get(i), text);
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
