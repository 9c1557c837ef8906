package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.ScriptedGuide;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * A guided answer of a real model has the same tokens at each cut of the model. The engine may
 * compute forced tokens together or one by one. A speculator may draft the other tokens or not.
 */
@Timeout(600)
class GuidedModelTest {
    private static final int MOST = 7;

    /** Right draft tokens before the first wrong one. */
    private static final int RIGHT = 2;

    @TempDir static Path folder;

    private static ScriptedGuide guide(SpeculativeModel sample, int prompt) {
        return ScriptedGuide.of(31 + prompt, SpeculativeModel.COUNT, sample.vocabulary());
    }

    private static List<int[]> ask(
            SpeculativeModel sample,
            LoadedModel model,
            SamplingOptions sampling,
            List<ScriptedGuide> guides)
            throws Exception {
        List<Answer> answers =
                IntStream.range(0, guides.size())
                        .mapToObj(
                                i ->
                                        Answer.of(
                                                        sample.prompts().get(i),
                                                        SpeculativeModel.COUNT,
                                                        sampling)
                                                .guidedBy(guides.get(i)))
                        .toList();
        Answer.submit(model.engine(), answers);
        List<int[]> tokens = new ArrayList<>();
        for (Answer answer : answers) {
            tokens.add(answer.tokens());
        }
        return tokens;
    }

    private static List<ScriptedGuide> telling(SpeculativeModel sample) {
        return IntStream.range(0, sample.prompts().size()).mapToObj(i -> guide(sample, i)).toList();
    }

    private static List<ScriptedGuide> silent(SpeculativeModel sample) {
        return telling(sample).stream().map(ScriptedGuide::silent).toList();
    }

    private static void assertSame(List<int[]> expected, List<int[]> actual, String what) {
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i), actual.get(i), what + ", prompt " + i);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.varve.conformance.SpeculativeModel#all")
    @ByDay(1)
    void guidedOutputDoesNotDependOnTheComputationPath(
            Family family, TensorType type, GgmlType cache) throws Exception {
        SpeculativeModel sample = SpeculativeModel.of(family, type, cache, folder);
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.8f).seededWith(5);
        int[] cuts = Cpu.legalCuts(sample.file());
        int[] cut = {cuts[cuts.length / 2]};
        List<SamplingOptions> samplings = List.of(SamplingOptions.greedy(), sampled);
        for (SamplingOptions sampling : samplings) {
            if (!Thorough.tries(2, family.ordinal(), samplings.indexOf(sampling))) {
                continue;
            }
            List<int[]> plain;
            try (LoadedModel model = sample.plain()) {
                plain = ask(sample, model, sampling, silent(sample));
                assertSame(
                        plain,
                        ask(sample, model, sampling, telling(sample)),
                        sampling + ", together");
            }
            for (int i = 0; i < plain.size(); i++) {
                assertTrue(guide(sample, i).accepts(plain.get(i)), sampling + ", prompt " + i);
            }
            SpeculationOptions guesses =
                    new SpeculationOptions(
                            new ScriptedSpeculator(
                                    sample.texts(plain),
                                    MOST,
                                    depth -> depth < RIGHT ? 0 : 1,
                                    sample.vocabulary(),
                                    List.of()),
                            MOST,
                            OptionalInt.of(MOST));
            try (LoadedModel model = sample.guessed(guesses, cut)) {
                assertSame(
                        plain,
                        ask(sample, model, sampling, telling(sample)),
                        sampling + ", guessed and cut");
                assertSame(
                        plain,
                        ask(sample, model, sampling, silent(sample)),
                        sampling + ", guessed and cut, one by one");
            }
        }
    }
}
