package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/**
 * Draft tokens change no token of a real model, at any cut of the model and with any number of
 * checked draft tokens.
 */
@Timeout(600)
class SpeculationTest {
    @TempDir static Path folder;

    /** Numbers of right tokens in a draft, all before the first wrong one. */
    private static final int[] RIGHT = {0, 1, 3, Integer.MAX_VALUE};

    @ParameterizedTest
    @MethodSource("dev.varve.conformance.SpeculativeModel#all")
    @ByDay(1)
    @Proves(Claim.DRAFTS)
    void draftTokensDoNotChangeTheOutput(Family family, TensorType type, GgmlType cache)
            throws Exception {
        SpeculativeModel sample = SpeculativeModel.of(family, type, cache, folder);
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.8f).seededWith(5);
        int[] cuts = Cpu.legalCuts(sample.file());
        List<SamplingOptions> samplings = List.of(SamplingOptions.greedy(), sampled);
        for (SamplingOptions sampling : samplings) {
            List<int[]> plain = sample.answers(sampling);
            List<int[]> texts = sample.texts(plain);
            for (int each = 0; each < RIGHT.length; each++) {
                if (!Thorough.tries(2, family.ordinal(), samplings.indexOf(sampling), each)) {
                    continue;
                }
                int right = RIGHT[each];
                int most = right == 3 ? 15 : 7;
                int[] cut = right == 1 ? new int[] {cuts[cuts.length / 2]} : new int[0];
                try (LoadedModel model =
                        sample.guessed(
                                new SpeculationOptions(
                                        new ScriptedSpeculator(
                                                texts,
                                                most,
                                                depth -> depth < right ? 0 : 1,
                                                sample.vocabulary(),
                                                List.of()),
                                        most,
                                        OptionalInt.of(most)),
                                cut)) {
                    List<Answer> guessed = sample.ask(model, sampling);
                    for (int i = 0; i < plain.size(); i++) {
                        String what = sampling + ", right " + right + ", prompt " + i;
                        assertArrayEquals(plain.get(i), guessed.get(i).tokens(), what);
                        GenerationEnd.Speculation figures = guessed.get(i).end().speculation();
                        assertTrue(figures.verifySteps() > 0, what);
                        assertEquals(
                                SpeculativeModel.COUNT - 1,
                                figures.accepted() + figures.verifySteps(),
                                1,
                                what + ": but for the last token all were checked");
                    }
                }
            }
        }
    }
}
