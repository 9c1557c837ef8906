package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.testkit.Claim;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Models of the families that are described by their layers, with KV Flash and with drafts. */
@Timeout(300)
class DecoderFeaturesTest {
    private static final int PROMPT = 900;
    private static final int BOUNDARY = 800;
    private static final int COUNT = 30;

    @TempDir static Path folder;

    static Stream<DecoderLayout> layouts() {
        return Thorough.some(5, List.of(DecoderLayout.values()));
    }

    private static RandomModel model(DecoderLayout layout) {
        return RandomModel.of(new DecoderModel(layout, 2, TensorType.Q8_0));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    @Proves({Claim.PAGING, Claim.DISK})
    void promptBeyondItsPoolResumesFromDiskOnAnotherSplit(DecoderLayout layout) throws Exception {
        PagedModel sample = PagedModel.of(model(layout), GgmlType.F16, 1, folder);
        ModelSettings pooled =
                sample.pooled(PagedModel.POOL, PagePolicy.QK)
                        .with(new HostCacheLimit.Fixed(64 << 20));
        Path store = folder.resolve(layout.name());
        int[] prompt = sample.tokens(PROMPT, 6);
        int[] expected;
        try (LoadedModel model = load(sample, pooled, store)) {
            Answer answer = ask(model, prompt);
            expected = answer.tokens();
            assertTrue(PagedModel.paging(answer).residentPages() > 0, answer.end()::toString);
        }
        int[] cuts = Cpu.legalCuts(sample.file());
        try (LoadedModel model = load(sample, pooled, store, cuts[cuts.length / 2])) {
            Answer restored = ask(model, prompt);

            assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
            assertTrue(restored.end().tokens().cached() >= BOUNDARY, restored.end()::toString);
            assertArrayEquals(expected, restored.tokens());
        }
    }

    private static LoadedModel load(
            PagedModel sample, ModelSettings settings, Path store, int... cuts) throws Exception {
        return Cpu.load(
                sample.file(),
                settings,
                new LoadedModel.EngineComponents(
                        Optional.of(CacheHits.disk(store)), Optional.empty()),
                cuts);
    }

    private static Answer ask(LoadedModel model, int[] prompt) throws Exception {
        Answer answer = Answer.of(prompt, BOUNDARY, COUNT, SamplingOptions.greedy());
        answer.submit(model.engine());
        answer.end();
        return answer;
    }

    @ParameterizedTest
    @MethodSource("layouts")
    @Proves(Claim.DRAFTS)
    void draftTokensDoNotChangeTheOutput(DecoderLayout layout) throws Exception {
        SpeculativeModel sample = SpeculativeModel.of(model(layout), GgmlType.F16, folder);
        List<int[]> plain = sample.answers(SamplingOptions.greedy());
        List<int[]> texts = sample.texts(plain);
        int most = 7;
        int[] cuts = Cpu.legalCuts(sample.file());
        SpeculationOptions options =
                new SpeculationOptions(
                        new ScriptedSpeculator(
                                texts,
                                most,
                                depth -> depth < 2 ? 0 : 1,
                                sample.vocabulary(),
                                List.of()),
                        most,
                        OptionalInt.of(most));
        try (LoadedModel model = sample.guessed(options, cuts[cuts.length / 2])) {
            List<Answer> drafted = sample.ask(model, SamplingOptions.greedy());
            for (int i = 0; i < plain.size(); i++) {
                assertArrayEquals(plain.get(i), drafted.get(i).tokens(), layout + ", prompt " + i);
                GenerationEnd.Speculation figures = drafted.get(i).end().speculation();
                assertTrue(figures.accepted() > 0, figures::toString);
            }
        }
    }
}
