package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Prompts longer than their pools resume from what a cold prefill of them has, on the devices,
 * after a restart, on another split, in a pool of another size or in none, and have the same
 * answers.
 */
@Timeout(600)
class PagedCacheTest {
    private static final int PROMPT = 1300;
    private static final int BOUNDARY = 1200;
    private static final int TURN = 90;
    private static final int COUNT = 30;

    @TempDir static Path folder;

    /** Families and policies, half of them where time is short. */
    static Stream<Arguments> restarts() {
        return Thorough.first(
                3,
                List.of(
                        Arguments.of(Family.QWEN35, PagePolicy.QK),
                        Arguments.of(Family.GEMMA4, PagePolicy.QK),
                        Arguments.of(Family.LAGUNA, PagePolicy.LRU),
                        Arguments.of(Family.QWEN35MOE, PagePolicy.LRU),
                        Arguments.of(Family.LAGUNA, PagePolicy.QK),
                        Arguments.of(Family.QWEN35, PagePolicy.DRAFTER),
                        Arguments.of(Family.QWEN3, PagePolicy.QK)));
    }

    /** Likewise, others. */
    static Stream<Arguments> again() {
        return Thorough.first(
                3,
                List.of(
                        Arguments.of(Family.QWEN35, PagePolicy.QK),
                        Arguments.of(Family.LAGUNA, PagePolicy.LRU),
                        Arguments.of(Family.GEMMA4, PagePolicy.DRAFTER),
                        Arguments.of(Family.GEMMA4, PagePolicy.QK),
                        Arguments.of(Family.LAGUNA, PagePolicy.QK),
                        Arguments.of(Family.QWEN35, PagePolicy.DRAFTER)));
    }

    private static ModelSettings kept(ModelSettings settings) {
        return settings.with(new HostCacheLimit.Fixed(64 << 20));
    }

    private static LoadedModel load(Path file, ModelSettings settings, Path store, int... cuts)
            throws Exception {
        LoadedModel.EngineComponents extras =
                new LoadedModel.EngineComponents(
                        Optional.of(CacheHits.disk(store)), Optional.empty());
        return Cpu.load(file, kept(settings), PagedModel.helped(settings, extras), cuts);
    }

    /** The answer of a model that keeps nothing. */
    private static int[] cold(PagedModel sample, ModelSettings settings, int[] prompt, int boundary)
            throws Exception {
        LoadedModel.EngineComponents extras =
                new LoadedModel.EngineComponents(Optional.empty(), Optional.empty());
        try (LoadedModel model =
                Cpu.load(sample.file(), settings, PagedModel.helped(settings, extras))) {
            return ask(model, prompt, boundary).tokens();
        }
    }

    private static Answer ask(LoadedModel model, int[] prompt, int boundary) throws Exception {
        Answer answer = Answer.of(prompt, boundary, COUNT, SamplingOptions.greedy());
        answer.submit(model.engine());
        answer.end();
        return answer;
    }

    @ParameterizedTest
    @MethodSource("restarts")
    @ByDay(3)
    @Proves({Claim.PAGING, Claim.DISK})
    void conversationBeyondItsPoolResumesAfterARestart(Family family, PagePolicy policy)
            throws Exception {
        PagedModel sample = PagedModel.of(family, TensorType.Q8_0, GgmlType.Q8_0, 1, folder);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, policy);
        Path store = folder.resolve(family + "-" + policy);
        int[] prompt = sample.tokens(PROMPT, 6);
        int[] next;
        int[] expected;
        try (LoadedModel model = load(sample.file(), pooled, store)) {
            int[] answer = ask(model, prompt, BOUNDARY).tokens();
            next =
                    IntStream.concat(
                                    IntStream.concat(IntStream.of(prompt), IntStream.of(answer)),
                                    IntStream.of(sample.tokens(TURN, 7)))
                            .toArray();
            Answer second = ask(model, next, PROMPT + COUNT);
            assertEquals(Optional.of(CacheSource.DEVICE), second.end().cache().source());
            assertTrue(second.end().tokens().cached() >= BOUNDARY, second.end()::toString);
            expected = second.tokens();
        }
        assertArrayEquals(expected, cold(sample, pooled, next, PROMPT + COUNT));

        int[] cuts = Cpu.legalCuts(sample.file());
        try (LoadedModel model =
                load(sample.file(), pooled, store, cuts[0], cuts[cuts.length - 1])) {
            Answer restored = ask(model, next, PROMPT + COUNT);

            assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
            assertTrue(restored.end().tokens().cached() >= BOUNDARY, restored.end()::toString);
            assertArrayEquals(expected, restored.tokens());
        }
        for (ModelSettings other :
                new ModelSettings[] {
                    sample.settings(), sample.pooled(768, policy), sample.pooled(2048, policy)
                }) {
            try (LoadedModel model = load(sample.file(), other, store)) {
                Answer restored = ask(model, next, PROMPT + COUNT);

                assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
                assertEquals(COUNT, restored.tokens().length);
            }
        }
    }

    /** Grade (b): it resumes before the last tokens, for which pages are chosen once more. */
    @ParameterizedTest
    @MethodSource("again")
    @ByDay(1)
    void repeatedPromptHasTheSameOutput(Family family, PagePolicy policy) throws Exception {
        PagedModel sample = PagedModel.of(family, TensorType.Q8_0, GgmlType.Q8_0, 1, folder);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, policy);
        Path store = folder.resolve(family + "-again-" + policy);
        int[] prompt = sample.tokens(PROMPT, 9);
        int boundary = PROMPT - 3;
        int[] expected = cold(sample, pooled, prompt, boundary);
        try (LoadedModel model = load(sample.file(), pooled, store)) {
            assertArrayEquals(expected, ask(model, prompt, boundary).tokens());
            Answer again = ask(model, prompt, boundary);

            assertEquals(Optional.of(CacheSource.DEVICE), again.end().cache().source());
            assertTrue(again.end().tokens().cached() >= PROMPT - 64, again.end()::toString);
            assertArrayEquals(expected, again.tokens());
        }

        try (LoadedModel model = load(sample.file(), pooled, store)) {
            Answer restored = ask(model, prompt, boundary);

            assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
            assertArrayEquals(expected, restored.tokens());
        }
    }

    /**
     * A pool restores the rows of a prompt that the engine computed without a pool. They lie in it
     * as if the engine had computed them there last.
     */
    @ParameterizedTest
    @CsvSource({"QWEN35", "GEMMA4"})
    @ByDay(1)
    void prefixComputedWithoutAPoolIsReusedInAPool(Family family) throws Exception {
        PagedModel sample = PagedModel.of(family, TensorType.Q8_0, GgmlType.Q8_0, 1, folder);
        Path store = folder.resolve(family + "-whole");
        int[] prompt = sample.tokens(PROMPT, 8);
        try (LoadedModel model = load(sample.file(), sample.settings(), store)) {
            ask(model, prompt, BOUNDARY);
        }

        try (LoadedModel model =
                load(sample.file(), sample.pooled(PagedModel.POOL, PagePolicy.QK), store)) {
            Answer restored = ask(model, prompt, BOUNDARY);

            assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
            assertEquals(PagedModel.POOL / 64, PagedModel.paging(restored).residentPages());
            assertEquals(
                    (PROMPT + COUNT - 1) / 64 + 1 - PagedModel.POOL / 64,
                    PagedModel.paging(restored).hostPages());
        }
    }
}
