package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.LoadedModel.EngineComponents;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.TensorPlacement;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Experts on another queue of the processor compute the numbers of one queue, bit by bit. */
class ExpertPlacementTest {
    private static final String ALL = "_exps=cpu:1";

    /** The largest error that the rounding of two backends may cause, with an F32 cache. */
    private static final double TOLERANCE = 1e-2;

    @TempDir Path folder;
    @TempDir Path installation;

    /** Models with experts, and rules: whole experts, one matrix of each, those of one layer. */
    static Stream<Arguments> models() {
        return Thorough.first(
                8,
                List.of(
                        Arguments.of(Family.QWEN35MOE.odd(1), ALL),
                        Arguments.of(Family.LAGUNA.odd(1, TensorType.Q4_K), ALL),
                        Arguments.of(Family.GEMMA4.odd(1, TensorType.Q8_0), ALL),
                        Arguments.of(Family.GEMMA4.odd(4), "ffn_down_exps=cpu:1"),
                        Arguments.of(decoder(DecoderLayout.QWEN3MOE, TensorType.Q4_0), ALL),
                        Arguments.of(
                                decoder(DecoderLayout.QWEN3MOE, TensorType.F16),
                                "ffn_(up|down)_exps=CPU1"),
                        Arguments.of(decoder(DecoderLayout.GPT_OSS, TensorType.Q8_0), ALL),
                        Arguments.of(
                                decoder(DecoderLayout.GPT_OSS, TensorType.F16),
                                "blk\\.(1|3)\\..*_exps=cpu:1"),
                        Arguments.of(decoder(DecoderLayout.NEMOTRON_H_MOE, TensorType.Q8_0), ALL),
                        Arguments.of(decoder(DecoderLayout.DEEPSEEK2, TensorType.Q4_K), ALL),
                        Arguments.of(decoder(DecoderLayout.GLM4MOE, TensorType.Q8_0), ALL),
                        Arguments.of(decoder(DecoderLayout.MIXTRAL, TensorType.Q6_K), ALL),
                        Arguments.of(decoder(DecoderLayout.QWEN3NEXT, TensorType.F16), ALL)));
    }

    private static RandomModel decoder(DecoderLayout layout, TensorType type) {
        return RandomModel.of(new DecoderModel(layout, 3, type));
    }

    @ParameterizedTest
    @MethodSource("models")
    void logitsAndTokensEqualThoseOfOneDevice(RandomModel spec, String rules) throws Exception {
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.settings(1024, 2, Cpu.F16);
        int[] tokens = spec.tokens(600, 5);
        float[][] expected;
        try (LoadedModel model = Cpu.load(file, settings)) {
            expected = Cpu.logits(model, tokens);
        }
        try (LoadedModel model =
                SpreadModel.load(file, settings, "cpu:0", rules, EngineComponents.NONE)) {
            int before = SpreadModel.computed();
            float[][] actual = Cpu.logits(model, tokens);
            assertTrue(SpreadModel.computed() > before, "the other device computes");
            for (int row = 0; row < expected.length; row++) {
                assertArrayEquals(expected[row], actual[row], spec + ", row " + row);
            }
        }
    }

    /**
     * Layers and experts on a device with memory of its own and on the processor. For all layers a
     * software renderer compiles shaders for 15 to 30 s, for experts for 2 s.
     */
    static Stream<Arguments> devices() {
        return Thorough.first(
                1,
                List.of(
                        Arguments.of(
                                Family.LAGUNA.odd(1, TensorType.F32), "cpu:0", "_exps=vulkan:0"),
                        Arguments.of(
                                Family.LAGUNA.odd(1, TensorType.F32), "vulkan:0", "_exps=cpu:0"),
                        Arguments.of(
                                Family.QWEN35MOE.odd(1, TensorType.F32), "vulkan:0", "_exps=cpu:0"),
                        Arguments.of(
                                Family.QWEN35MOE.odd(1, TensorType.F32), "cpu:0", "_exps=vulkan:0"),
                        Arguments.of(
                                Family.LAGUNA.odd(1, TensorType.F32),
                                "vulkan:0",
                                "ffn_(up|down)_exps=cpu:0")));
    }

    @ParameterizedTest
    @MethodSource("devices")
    void twoBackendsComputeWhatTheProcessorComputes(
            RandomModel spec, String layers, String rules, TestReporter reporter) throws Exception {
        Vulkan.device();
        Path file = spec.write(folder);
        int[] tokens = spec.tokens(90, 5);
        float[][] expected;
        try (LoadedModel model = Cpu.load(file, VulkanLogits.settings(FlashAttention.OFF))) {
            expected = Cpu.logits(model, tokens);
        }

        float[][] actual = SpreadModel.logits(file, layers, rules, tokens);

        String what = spec + " on " + layers + " with " + rules;
        reporter.publishEntry(
                what,
                String.format(Locale.ROOT, "%.2e", Comparison.worstRelativeL2(expected, actual)));
        Comparison.assertGradeC(what, expected, actual, TOLERANCE);
    }

    /** Three shards, of which each has experts elsewhere, and sequences that share steps. */
    @Test
    void splitModelAnswersAsOneDevice() throws Exception {
        RandomModel spec = Family.QWEN35MOE.odd(1);
        Path file = spec.write(folder);
        ModelSettings settings = exact(Cpu.settings(512, 2, Cpu.F16));
        int[] cuts = Cpu.legalCuts(file);
        List<int[]> prompts = List.of(spec.tokens(30, 1), spec.tokens(200, 2));
        List<int[]> expected;
        try (LoadedModel model = Cpu.load(file, settings)) {
            expected = ask(model, prompts);
        }

        try (LoadedModel model =
                SpreadModel.load(
                        file, settings, "cpu:0", ALL, EngineComponents.NONE, cuts[0], cuts[1])) {
            List<int[]> found = ask(model, prompts);
            for (int i = 0; i < prompts.size(); i++) {
                assertArrayEquals(expected.get(i), found.get(i), "prompt " + i);
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

    private static ModelSettings exact(ModelSettings settings) {
        return settings.with(settings.computation().with(BatchInvariance.ON));
    }

    @Test
    void cachedPrefixContinuesAsAFullPrefill() throws Exception {
        long seed = Family.LAGUNA.quantisableSeed();
        RandomModel spec = Family.LAGUNA.odd(seed);
        ModelSettings settings = CacheHits.oneBlock(Cpu.F16);

        try (LoadedModel model =
                SpreadModel.load(
                        spec.write(folder), settings, "cpu:0", ALL, EngineComponents.NONE)) {
            CacheHits.requireFromHost(spec, seed, model, "experts elsewhere");
        }
    }

    @Test
    void draftTokensAreVerifiedWithTheSameTokens() throws Exception {
        SpeculativeModel sample =
                SpeculativeModel.of(
                        decoder(DecoderLayout.QWEN3MOE, TensorType.Q4_0), GgmlType.F16, folder);
        List<int[]> plain = sample.answers(SamplingOptions.greedy());
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
                SpreadModel.load(
                        sample.file(),
                        sample.settings()
                                .with(
                                        new SpeculationRequirements(
                                                drafts.columns(), drafts.speculator().captures())),
                        "cpu:0",
                        ALL,
                        new EngineComponents(Optional.empty(), Optional.of(drafts)))) {
            List<Answer> answers = sample.ask(model, SamplingOptions.greedy());
            for (int i = 0; i < plain.size(); i++) {
                assertArrayEquals(plain.get(i), answers.get(i).tokens(), "prompt " + i);
                assertTrue(answers.get(i).end().speculation().verifySteps() > 0);
            }
        }
    }

    @Test
    void pagedSequenceAnswersAsOnOneDevice() throws Exception {
        PagedModel sample = PagedModel.of(Family.LAGUNA, TensorType.Q8_0, GgmlType.Q8_0, 1, folder);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, PagePolicy.LRU);
        int[] prompt = sample.tokens(900, 2);
        int[] expected = sample.alone(pooled, prompt);

        try (LoadedModel model =
                SpreadModel.load(sample.file(), pooled, "cpu:0", ALL, EngineComponents.NONE)) {
            Answer found = Answer.ask(model.engine(), prompt, PagedModel.ANSWER);

            assertArrayEquals(expected, found.tokens());
            assertTrue(PagedModel.paging(found).counts().pagesOut() > 0);
        }
    }

    /** A shard process opens the other device itself, and reads experts from its own file. */
    @Test
    void shardProcessPlacesAndStreamsExpertsToo() throws Exception {
        RandomModel spec = Family.LAGUNA.odd(1);
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.settings(512, 1, Cpu.F16);
        int[] tokens = spec.tokens(60, 5);
        float[][] expected;
        try (LoadedModel model = Cpu.load(file, settings)) {
            expected = Cpu.logits(model, tokens);
        }
        try (ListeningShard process =
                ListeningShard.start(ShardProgram.install(folder, installation))) {
            SplitModel split =
                    SplitModel.of(file, settings, BoundaryType.F32, device -> process.link());
            try (LoadedModel model = load(split, settings, "cpu:0")) {
                assertArrayEquals(expected, Cpu.logits(model, tokens));
            }
            ComputeSettings streamed =
                    settings.computation().with(WeightLayout.STREAMED).withExpertCache(1 << 20);
            float[][] mapped;
            ComputeSettings inFile = settings.computation().with(WeightLayout.AS_IN_FILE);
            try (LoadedModel model = Cpu.load(file, settings.with(inFile))) {
                mapped = Cpu.logits(model, tokens);
            }
            try (LoadedModel model = load(split, settings.with(streamed), TensorPlacement.NONE)) {
                assertArrayEquals(mapped, Cpu.logits(model, tokens));
            }
            VarveException missing =
                    assertThrows(VarveException.class, () -> load(split, settings, "cpu:7"));
            assertTrue(missing.getMessage().contains("cpu:7"), missing.getMessage());
        }
    }

    /** Loads a model in a process that opens a device for the experts. */
    private static LoadedModel load(SplitModel split, ModelSettings settings, String experts) {
        LayerRange all = split.adapter().shape().allLayers();
        TensorPlacement tensors =
                new TensorPlacement(
                        split.adapter().tensors(all).entries().stream()
                                .map(entry -> entry.tensor().name())
                                .filter(name -> name.contains("_exps"))
                                .distinct()
                                .collect(Collectors.toMap(name -> name, name -> experts)));
        return load(split, settings, tensors);
    }

    private static LoadedModel load(
            SplitModel split, ModelSettings settings, TensorPlacement tensors) {
        LayerRange all = split.adapter().shape().allLayers();
        DeviceReference there = DeviceReference.parse("cpu:0@unix:/listening");
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(
                        split.adapter(),
                        Placement.single(there, all),
                        device -> Cpu.oneThread().info(),
                        settings);
        return LoadedModel.load(
                new OpenedModel(split.file(), split.adapter()),
                plan,
                (part, options, progress) ->
                        split.open(
                                new Placement.Part(part.device(), part.range(), tensors),
                                options,
                                progress),
                settings,
                LoadProgressListener.silent());
    }
}
