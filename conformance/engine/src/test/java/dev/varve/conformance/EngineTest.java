package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The engine over a real model: batching, residency, preemption and cancelling change no token. */
class EngineTest {
    private static final int CONTEXT = 1024;

    /** Tokens of an answer in a crowd; what goes wrong among several does so at once. */
    private static final int CROWD_ANSWER = Effort.isFull() ? 48 : 20;

    @TempDir static Path folder;

    /** A model of each family whose heads take q8_0 rows; long answers pass several windows. */
    private record Sample(RandomModel spec, Path file) {
        static Sample of(Family family, TensorType type) throws Exception {
            RandomModel spec = family.odd(family.quantisableSeed(), type);
            return new Sample(spec, spec.write(folder));
        }

        int[] tokens(int count, long seed) {
            return spec.tokens(count, seed);
        }
    }

    /** Families with types of weights and caches; half of them where time is short. */
    static Stream<Arguments> crowds() {
        return Thorough.some(
                4,
                List.of(
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.Q4_0,
                                GgmlType.Q8_0,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.F32,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.Q4_K,
                                GgmlType.F16,
                                BatchInvariance.ON,
                                8),
                        Arguments.of(
                                Family.QWEN35MOE,
                                TensorType.F16,
                                GgmlType.Q8_0,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35MOE,
                                TensorType.IQ4_XS,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                4),
                        Arguments.of(
                                Family.GEMMA4,
                                TensorType.Q6_K,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.GEMMA4,
                                TensorType.Q4_K,
                                GgmlType.F16,
                                BatchInvariance.ON,
                                8),
                        Arguments.of(
                                Family.LAGUNA,
                                TensorType.Q4_0,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.LAGUNA,
                                TensorType.Q4_K,
                                GgmlType.Q8_0,
                                BatchInvariance.ON,
                                8),
                        Arguments.of(
                                Family.QWEN3,
                                TensorType.BF16,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.Q8_0,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.F16,
                                GgmlType.Q8_0,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.Q6_K,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35,
                                TensorType.Q4_K,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                4),
                        Arguments.of(
                                Family.QWEN35MOE,
                                TensorType.Q4_0,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.QWEN35MOE,
                                TensorType.IQ4_XS,
                                GgmlType.F16,
                                BatchInvariance.ON,
                                8),
                        Arguments.of(
                                Family.GEMMA4,
                                TensorType.Q4_0,
                                GgmlType.Q8_0,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.GEMMA4,
                                TensorType.F16,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.LAGUNA,
                                TensorType.F32,
                                GgmlType.Q8_0,
                                BatchInvariance.AUTO,
                                8),
                        Arguments.of(
                                Family.LAGUNA,
                                TensorType.Q4_K,
                                GgmlType.F16,
                                BatchInvariance.ON,
                                8),
                        Arguments.of(
                                Family.LAGUNA,
                                TensorType.Q4_K,
                                GgmlType.F16,
                                BatchInvariance.AUTO,
                                4),
                        Arguments.of(
                                Family.QWEN3,
                                TensorType.Q4_0,
                                GgmlType.Q8_0,
                                BatchInvariance.AUTO,
                                8)));
    }

    /** Grade (a): a sequence attends alone, and rows are multiplied as if they were alone. */
    @ParameterizedTest
    @MethodSource("crowds")
    @ByDay(6)
    void eightConcurrentRequestsEqualSequentialOnes(
            Family family, TensorType type, GgmlType cache, BatchInvariance exact, int parallel)
            throws Exception {
        RandomModel wide = family.wide(type);
        Sample spec = new Sample(wide, wide.write(folder));
        CacheTypes types = new CacheTypes(cache, cache);
        List<int[]> prompts =
                IntStream.range(0, 8).mapToObj(i -> spec.tokens(20 + 37 * i, 100 + i)).toList();
        List<int[]> alone = new ArrayList<>();
        try (LoadedModel model = Cpu.load(spec.file(), settings(1, types, exact))) {
            for (int[] prompt : prompts) {
                alone.add(Answer.ask(model.engine(), prompt, CROWD_ANSWER).tokens());
            }
        }

        try (LoadedModel model = Cpu.load(spec.file(), settings(parallel, types, exact))) {
            Engine engine = model.engine();
            List<Answer> together =
                    prompts.stream()
                            .map(prompt -> Answer.ask(engine, prompt, CROWD_ANSWER))
                            .toList();
            for (int i = 0; i < prompts.size(); i++) {
                assertArrayEquals(alone.get(i), together.get(i).tokens(), "prompt " + i);
            }
            // Fewer forwards than tokens: some of them had tokens of several sequences.
            EngineStatus.EngineCounters counts = engine.status().counts();
            assertTrue(counts.steps() < counts.tokens().generated(), counts::toString);
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestThatExtendsAFinishedOneComputesOnlyTheRest(Family family) throws Exception {
        Sample spec = Sample.of(family, TensorType.Q4_0);
        int[] prompt = spec.tokens(100, 1);
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 2, Cpu.Q8_0))) {
            Answer first = Answer.ask(model.engine(), prompt, 20);
            int[] longer = concat(prompt, first.tokens(), spec.tokens(30, 2));

            Answer second = Answer.ask(model.engine(), longer, 20);

            assertEquals(
                    100 + 19,
                    second.end().tokens().cached(),
                    "all but the last generated token are computed");
            assertArrayEquals(coldAnswer(spec, longer, 0, 20), second.tokens());
        }
    }

    /** A model of full attention alone keeps no checkpoints. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "QWEN3")
    void requestWithTheSameStablePrefixResumesFromItsCheckpoint(Family family) throws Exception {
        Sample spec = Sample.of(family, TensorType.Q4_0);
        int[] prompt = spec.tokens(150, 3);
        int[] other = concat(Arrays.copyOf(prompt, 120), spec.tokens(60, 4));
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 2, Cpu.Q8_0))) {
            Answer.ask(model.engine(), prompt, 120, 20, SamplingOptions.greedy()).end();

            Answer second = Answer.ask(model.engine(), other, 130, 20, SamplingOptions.greedy());

            assertEquals(120, second.end().tokens().cached());
            assertArrayEquals(coldAnswer(spec, other, 130, 20), second.tokens());
        }
    }

    /** A fork has the bits of what it was copied from: grade (a), whatever the cache's type. */
    @ParameterizedTest
    @EnumSource
    @ByDay({1, 3, 4})
    void choicesOfOnePromptEqualSingleRequestsAndPrefillOnce(Family family) throws Exception {
        Sample spec = Sample.of(family, TensorType.Q4_0);
        int[] prompt = spec.tokens(300, 11);
        List<SamplingOptions> samplings =
                IntStream.range(0, 4)
                        .mapToObj(
                                seed ->
                                        new SamplingOptions(
                                                1,
                                                new SamplingOptions.Cutoffs(0, 0.95f, 0),
                                                SamplingOptions.Penalties.NONE,
                                                OptionalLong.of(seed),
                                                Map.of()))
                        .toList();
        List<int[]> alone = new ArrayList<>();
        for (SamplingOptions sampling : samplings) {
            try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 1, Cpu.Q8_0))) {
                alone.add(Answer.ask(model.engine(), prompt, 250, 40, sampling).tokens());
            }
        }
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 4, Cpu.Q8_0))) {
            List<Answer> answers =
                    samplings.stream().map(each -> Answer.of(prompt, 250, 40, each)).toList();

            Answer.submit(model.engine(), answers);

            for (int i = 0; i < answers.size(); i++) {
                assertArrayEquals(alone.get(i), answers.get(i).tokens(), "choice " + i);
            }
            assertEquals(3 * 300, model.engine().status().counts().tokens().cachedPrompt());
        }
    }

    /**
     * The prefix cache keeps the tokens of one conversation after another conversation branched off
     * it at a checkpoint.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "QWEN3")
    void twoConversationsWithOnePrefixBothReuseIt(Family family) throws Exception {
        Sample spec = Sample.of(family, TensorType.Q4_0);
        int[] head = spec.tokens(200, 12);
        int[] first = concat(head, spec.tokens(50, 13));
        int[] second = concat(head, spec.tokens(60, 14));
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 4, Cpu.Q8_0))) {
            Answer opening = ask(model.engine(), first, 200);
            Answer branch = ask(model.engine(), second, 200);
            int[] next = concat(first, opening.tokens(), spec.tokens(20, 15));
            Answer going = ask(model.engine(), next, 200);

            assertEquals(200, branch.end().tokens().cached());
            assertEquals(250 + 19, going.end().tokens().cached(), "the branch took nothing away");
            assertArrayEquals(coldAnswer(spec, second, 200, 20), branch.tokens());
            assertArrayEquals(coldAnswer(spec, next, 200, 20), going.tokens());
        }
    }

    private static ModelSettings settings(int parallel, CacheTypes types, BatchInvariance exact) {
        ModelSettings settings = Cpu.settings(CONTEXT, parallel, types);
        return settings.with(settings.computation().with(exact));
    }

    private static Answer ask(Engine engine, int[] prompt, int stablePrefix) throws Exception {
        Answer answer = Answer.ask(engine, prompt, stablePrefix, 20, SamplingOptions.greedy());
        answer.end();
        return answer;
    }

    @ParameterizedTest
    @SomeFamilies(first = 0, plain = true)
    @ByDay(2)
    void smallPoolPreemptsAndStillCompletesAllRequests(Family family) throws Exception {
        Sample spec = Sample.of(family, TensorType.Q4_0);
        List<int[]> prompts =
                IntStream.range(0, 4).mapToObj(i -> spec.tokens(240, 50 + i)).toList();
        ModelSettings tight =
                Cpu.settings(SequenceLimits.of(CONTEXT, 4).withKvTokens(CONTEXT), Cpu.Q8_0);
        try (LoadedModel model = Cpu.load(spec.file(), tight)) {
            Engine engine = model.engine();
            List<Answer> answers = prompts.stream().map(prompt -> Answer.of(prompt, 300)).toList();
            Answer.submit(engine, answers);
            for (int i = 0; i < prompts.size(); i++) {
                assertArrayEquals(
                        coldAnswer(spec, prompts.get(i), 0, 300),
                        answers.get(i).tokens(),
                        "prompt " + i);
            }
            assertTrue(
                    engine.status().counts().preemptions() > 0,
                    "the pool was meant to be too small");
        }
    }

    @Test
    void cancelledRequestDoesNotAffectOthers() throws Exception {
        Sample spec = Sample.of(Family.QWEN35, TensorType.Q4_0);
        int[] prompt = spec.tokens(50, 7);
        int[] expected = coldAnswer(spec, prompt, 0, 200);
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 3, Cpu.Q8_0))) {
            Answer kept = Answer.ask(model.engine(), prompt, 200);
            Answer cancelled = Answer.ask(model.engine(), spec.tokens(60, 8), 900);
            cancelled.awaitFirstToken();
            cancelled.cancel();

            ExecutionException failure = assertThrows(ExecutionException.class, cancelled::end);
            assertEquals(
                    VarveException.Kind.CANCELLED, ((VarveException) failure.getCause()).kind());
            assertArrayEquals(expected, kept.tokens());
        }
    }

    @Test
    void seedReproducesASampledOutputAlsoBesideOtherRequests() throws Exception {
        Sample spec = Sample.of(Family.QWEN35, TensorType.Q4_0);
        SamplingOptions sampling =
                new SamplingOptions(
                        1,
                        new SamplingOptions.Cutoffs(0, 0.95f, 0),
                        new SamplingOptions.Penalties(1.1f, 0.2f, 0.1f),
                        OptionalLong.of(42),
                        Map.of());
        int[] prompt = spec.tokens(40, 9);
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 4, Cpu.Q8_0))) {
            int[] alone = Answer.ask(model.engine(), prompt, 0, 40, sampling).tokens();
            Answer beside = Answer.ask(model.engine(), prompt, 0, 40, sampling);
            Answer.ask(model.engine(), spec.tokens(45, 10), 40);

            assertArrayEquals(alone, beside.tokens());
        }
    }

    @Test
    void tooLongRequestIsRefusedWithTheNumbers() throws Exception {
        Sample spec = Sample.of(Family.QWEN35, TensorType.Q4_0);
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 1, Cpu.F16))) {
            Engine engine = model.engine();

            VarveException refusal =
                    assertThrows(
                            VarveException.class,
                            () -> Answer.ask(engine, spec.tokens(1000, 1), 25));

            assertEquals(VarveException.Kind.CONTEXT_OVERFLOW, refusal.kind());
            assertTrue(
                    refusal.getMessage().contains("maximum context length is 1024 tokens"),
                    refusal.getMessage());
            assertTrue(
                    refusal.getMessage().contains("1025 tokens (1000 in the messages, 25"),
                    refusal.getMessage());
        }
    }

    @Test
    void drainingRefusesNewRequestsAndFinishesTheOthers() throws Exception {
        Sample spec = Sample.of(Family.QWEN35, TensorType.Q4_0);
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 2, Cpu.F16))) {
            Answer running = Answer.ask(model.engine(), spec.tokens(20, 1), 100);

            assertTrue(model.engine().drain(Duration.ofSeconds(60)));

            assertEquals(GenerationEnd.Reason.LENGTH, running.end().reason());
            assertThrows(
                    VarveException.class, () -> Answer.ask(model.engine(), spec.tokens(20, 1), 5));
        }
    }

    private static int[] coldAnswer(Sample spec, int[] prompt, int stablePrefix, int count)
            throws Exception {
        try (LoadedModel model = Cpu.load(spec.file(), Cpu.settings(CONTEXT, 1, Cpu.Q8_0))) {
            return Answer.ask(model.engine(), prompt, stablePrefix, count, SamplingOptions.greedy())
                    .tokens();
        }
    }

    private static int[] concat(int[]... parts) {
        return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
    }
}
