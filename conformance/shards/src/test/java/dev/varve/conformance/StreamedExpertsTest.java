package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.LoadedModel.EngineComponents;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Experts that are read when a step needs them compute the numbers of experts in memory. */
class StreamedExpertsTest {
    private static final long PAGE = 4096;

    @TempDir Path folder;

    static Stream<RandomModel> models() {
        return Thorough.first(
                6,
                List.of(
                        Family.QWEN35MOE.odd(1),
                        Family.LAGUNA.odd(1, TensorType.Q4_K),
                        Family.GEMMA4.odd(1, TensorType.Q8_0),
                        decoder(DecoderLayout.QWEN3MOE, TensorType.Q4_0),
                        decoder(DecoderLayout.GPT_OSS, TensorType.Q8_0),
                        decoder(DecoderLayout.MIXTRAL, TensorType.Q6_K),
                        Family.GEMMA4.odd(4),
                        decoder(DecoderLayout.NEMOTRON_H_MOE, TensorType.Q8_0),
                        decoder(DecoderLayout.DEEPSEEK2, TensorType.Q4_K),
                        decoder(DecoderLayout.GLM4MOE, TensorType.Q8_0),
                        decoder(DecoderLayout.QWEN3NEXT, TensorType.F16)));
    }

    private static RandomModel decoder(DecoderLayout layout, TensorType type) {
        return RandomModel.of(new DecoderModel(layout, 3, type));
    }

    private static ModelSettings mapped(ModelSettings settings) {
        return settings.with(settings.computation().with(WeightLayout.AS_IN_FILE));
    }

    private static ModelSettings streamed(ModelSettings settings, long cacheBytes) {
        return settings.with(
                settings.computation().with(WeightLayout.STREAMED).withExpertCache(cacheBytes));
    }

    private static List<GgufTensor> matrices(OpenedModel model) {
        return model.adapter().tensors(model.shape().allLayers()).entries().stream()
                .filter(entry -> entry.use() == TensorUse.EXPERT_MATMUL)
                .map(TensorSelection.Entry::tensor)
                .toList();
    }

    /** Returns the most bytes of one expert of any layer, in whole pages. */
    private static long expertBytes(Path file) {
        OpenedModel model = Cpu.open(file, Cpu.settings(64, 1, Cpu.F16).modelOptions());
        Map<String, Long> byLayer =
                matrices(model).stream()
                        .collect(
                                Collectors.groupingBy(
                                        tensor -> tensor.name().split("\\.")[1],
                                        Collectors.summingLong(StreamedExpertsTest::pages)));
        return byLayer.values().stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    private static long pages(GgufTensor tensor) {
        return (Math.ceilDiv(tensor.bytes() / tensor.ne(2), PAGE) + 1) * PAGE;
    }

    private static float[][] logits(Path file, ModelSettings settings, int[] tokens) {
        try (LoadedModel model = Cpu.load(file, settings)) {
            return Cpu.logits(model, tokens);
        }
    }

    private static ExpertCounts counts(LoadedModel model) {
        return model.shards().stream()
                .map(shard -> shard.work().experts())
                .reduce(ExpertCounts.NONE, ExpertCounts::plus);
    }

    /** With room for one expert a layer takes many passes; with room for five, fewer. */
    @ParameterizedTest
    @MethodSource("models")
    void logitsEqualThoseOfWeightsInMemory(RandomModel spec) throws Exception {
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.settings(256, 2, Cpu.F16);
        int[] tokens = spec.tokens(90, 5);
        float[][] expected = logits(file, mapped(settings), tokens);
        long one = expertBytes(file);
        for (long cache : List.of(one, 5 * one)) {
            try (LoadedModel model = Cpu.load(file, streamed(settings, cache))) {
                float[][] actual = Cpu.logits(model, tokens);
                for (int row = 0; row < expected.length; row++) {
                    assertArrayEquals(expected[row], actual[row], spec + ", row " + row);
                }
                assertTrue(counts(model).misses() > 0, "experts are read");
                long resident =
                        model.shards().getFirst().memory().weights()
                                - ExpertCacheShare.denseBytes(weights(file));
                assertTrue(resident <= cache + (1 << 16), resident + " of " + cache);
            }
        }
    }

    private static TensorSelection weights(Path file) {
        OpenedModel model = Cpu.open(file, Cpu.settings(64, 1, Cpu.F16).modelOptions());
        return model.adapter().tensors(model.shape().allLayers());
    }

    @Test
    void secondRunFindsAllExpertsInALargeCache() throws Exception {
        RandomModel spec = Family.QWEN35MOE.odd(1);
        Path file = spec.write(folder);
        int[] tokens = spec.tokens(40, 5);
        try (LoadedModel model =
                Cpu.load(file, streamed(Cpu.settings(256, 1, Cpu.F16), 1L << 30))) {
            Cpu.logits(model, tokens);
            ExpertCounts first = counts(model);
            Cpu.logits(model, tokens);
            ExpertCounts second = counts(model);

            assertEquals(first.misses(), second.misses());
            assertEquals(first.readBytes(), second.readBytes());
            assertTrue(second.hits() > first.hits());
        }
    }

    /** Three shards divide the cache, and two sequences share steps. */
    @Test
    void splitModelAnswersAsOneDevice() throws Exception {
        RandomModel spec = Family.QWEN35MOE.odd(1);
        Path file = spec.write(folder);
        ModelSettings plain = Cpu.settings(512, 2, Cpu.F16);
        ModelSettings settings = plain.with(plain.computation().with(BatchInvariance.ON));
        int[] cuts = Cpu.legalCuts(file);
        List<int[]> prompts = List.of(spec.tokens(30, 1), spec.tokens(200, 2));
        List<int[]> expected;
        try (LoadedModel model = Cpu.load(file, mapped(settings))) {
            expected = ask(model, prompts);
        }

        try (LoadedModel model =
                Cpu.load(file, streamed(settings, 12 * expertBytes(file)), cuts[0], cuts[1])) {
            List<int[]> found = ask(model, prompts);
            for (int i = 0; i < prompts.size(); i++) {
                assertArrayEquals(expected.get(i), found.get(i), "prompt " + i);
            }
            for (ShardStatus shard : model.shards()) {
                assertTrue(shard.work().experts().misses() > 0, shard.range().toString());
            }
        }
    }

    private static List<int[]> ask(LoadedModel model, List<int[]> prompts) throws Exception {
        List<Answer> answers = prompts.stream().map(prompt -> Answer.of(prompt, 20)).toList();
        Answer.submit(model.engine(), answers);
        List<int[]> tokens = new ArrayList<>();
        for (Answer answer : answers) {
            tokens.add(answer.tokens());
        }
        return tokens;
    }

    @Test
    void cachedPrefixContinuesAsAFullPrefill() throws Exception {
        long seed = Family.LAGUNA.quantisableSeed();
        RandomModel spec = Family.LAGUNA.odd(seed);
        Path file = spec.write(folder);
        ModelSettings settings = streamed(CacheHits.oneBlock(Cpu.F16), 3 * expertBytes(file));

        try (LoadedModel model = Cpu.load(file, settings)) {
            CacheHits.requireFromHost(spec, seed, model, "streamed experts");
        }
    }

    @Test
    void draftTokensAreVerifiedWithTheSameTokens() throws Exception {
        SpeculativeModel sample =
                SpeculativeModel.of(
                        decoder(DecoderLayout.QWEN3MOE, TensorType.Q4_0), GgmlType.F16, folder);
        ModelSettings settings = streamed(sample.settings(), 5 * expertBytes(sample.file()));
        List<int[]> plain = new ArrayList<>();
        try (LoadedModel model = Cpu.load(sample.file(), settings)) {
            for (Answer answer : sample.ask(model, SamplingOptions.greedy())) {
                plain.add(answer.tokens());
            }
        }
        SpeculationOptions drafts =
                new SpeculationOptions(
                        new ScriptedSpeculator(
                                sample.texts(plain),
                                4,
                                depth -> depth < 2 ? 0 : 1,
                                sample.vocabulary(),
                                List.of()),
                        4,
                        OptionalInt.of(4));

        try (LoadedModel model =
                Cpu.load(
                        sample.file(),
                        settings.with(
                                new SpeculationRequirements(
                                        drafts.columns(), drafts.speculator().captures())),
                        new EngineComponents(Optional.empty(), Optional.of(drafts)))) {
            List<Answer> answers = sample.ask(model, SamplingOptions.greedy());
            for (int i = 0; i < plain.size(); i++) {
                assertArrayEquals(plain.get(i), answers.get(i).tokens(), "prompt " + i);
                assertTrue(answers.get(i).end().speculation().verifySteps() > 0);
            }
        }
    }

    /** The request fails with the place in the file, and a later one succeeds. */
    @Test
    void shortenedFileFailsTheRequestOnly() throws Exception {
        RandomModel spec = Family.QWEN35MOE.odd(1);
        Path file = spec.write(folder);
        byte[] whole = Files.readAllBytes(file);
        ModelSettings settings = streamed(Cpu.settings(256, 1, Cpu.F16), expertBytes(file));
        int[] prompt = spec.tokens(30, 1);
        try (LoadedModel model = Cpu.load(file, settings)) {
            int[] expected = Answer.ask(model.engine(), prompt, 4).tokens();
            GgufTensor last = matrices(Cpu.open(file, settings.modelOptions())).getLast();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(last.offset());
            }

            Exception failure =
                    assertThrows(
                            Exception.class, () -> Answer.ask(model.engine(), prompt, 4).tokens());

            String message = failure.toString();
            assertTrue(message.contains(file.toString()), message);
            assertTrue(message.contains("_exps.weight"), message);
            assertTrue(message.contains("at offset"), message);
            Files.write(file, whole);
            assertArrayEquals(expected, Answer.ask(model.engine(), prompt, 4).tokens());
        }
    }

    @Test
    void cacheSmallerThanAnExpertIsRefused() throws Exception {
        Path file = Family.QWEN35MOE.odd(1).write(folder);
        ModelSettings settings = streamed(Cpu.settings(256, 1, Cpu.F16), PAGE);

        VarveException refusal = assertThrows(VarveException.class, () -> Cpu.load(file, settings));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(
                refusal.getMessage().startsWith(Setting.EXPERT_CACHE + ": expected at least"),
                refusal.getMessage());
    }
}
