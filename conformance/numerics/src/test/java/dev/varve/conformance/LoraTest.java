package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** LoRA adapters against libllama, and in parts of a model. */
class LoraTest {
    private static final int CONTEXT = 512;
    private static final Predicate<String> MATRICES =
            name -> name.matches("blk.*(attn_[qkv]|attn_output|ffn_(up|gate|down)(_exps)?).weight");

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({
        "LLAMA, F32, F32, 8",
        "LLAMA, Q4_K, F16, 6",
        "QWEN2, Q8_0, F16, 0",
        "QWEN3MOE, Q8_0, F32, 16",
        "QWEN2MOE, F16, F16, 8",
        "MIXTRAL, Q4_K, F16, 8"
    })
    @ByDay({2, 3, 4})
    void logitsAndGreedyOutputMatchLibllama(
            DecoderLayout layout, TensorType type, TensorType adapterType, float alpha)
            throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(layout, 1, type));
        Path file = spec.write(folder);
        Cpu.assumeLibllamaIsRight(file);
        Path adapter =
                new RandomAdapter(file, adapterType, 4, alpha)
                        .write(folder.resolve("lora.gguf"), 3, MATRICES);
        requireEqual(spec, file, Map.of(adapter, 0.75f));
    }

    /** Rows of the embedding table are changed as well, and the head. */
    @Test
    void tableAndHeadAreAdapted() throws Exception {
        RandomModel spec = RandomModel.of(model(true));
        Path file = spec.write(folder);
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 8, 8)
                        .write(
                                folder.resolve("lora.gguf"),
                                5,
                                name -> name.matches("(token_embd|output).weight"));
        requireEqual(spec, file, Map.of(adapter, 1f));
    }

    /** With such an adapter libllama would abort the process. */
    @Test
    void anAdapterOfATableThatIsAlsoTheHeadIsRefused() throws Exception {
        Path file = RandomModel.of(model(false)).write(folder);
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 8, 8)
                        .write(
                                folder.resolve("lora.gguf"),
                                5,
                                name -> name.equals("token_embd.weight"));
        VarveException refused =
                assertThrows(VarveException.class, () -> Cpu.open(file, Map.of(adapter, 1f)));
        assertTrue(refused.getMessage().contains("both the embedding table"), refused::getMessage);
    }

    private static DecoderModel model(boolean hasHead) {
        return IntStream.range(0, 20)
                .mapToObj(seed -> new DecoderModel(DecoderLayout.LLAMA, seed, TensorType.Q8_0))
                .filter(each -> each.writer().tensorNames().contains("output.weight") == hasHead)
                .findFirst()
                .orElseThrow();
    }

    /** Libllama adds them in the order of a hash map. */
    @Test
    void severalAdaptersAreAdded() throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(DecoderLayout.LLAMA, 3, TensorType.F16));
        Path file = spec.write(folder);
        Path one =
                new RandomAdapter(file, TensorType.F16, 4, 8)
                        .write(folder.resolve("one.gguf"), 5, MATRICES);
        Path two =
                new RandomAdapter(file, TensorType.F32, 2, 2)
                        .write(folder.resolve("two.gguf"), 6, name -> name.contains("attn_q."));
        Map<Path, Float> adapters = new LinkedHashMap<>();
        adapters.put(one, -0.5f);
        adapters.put(two, 1f);
        Map<Path, Float> reversed = new LinkedHashMap<>();
        reversed.put(two, 1f);
        reversed.put(one, -0.5f);
        int[] tokens = spec.tokens(200, 1);
        float[][] expected;
        try (Oracle oracle = oracle(file)) {
            expected = oracle.adapt(adapters).logits(tokens);
        }

        assertEquals(
                0,
                Math.min(
                        Comparison.worstRelativeL2(expected, logits(file, adapters, tokens)),
                        Comparison.worstRelativeL2(expected, logits(file, reversed, tokens))));
    }

    /** Each row has the bits of a product of its own, also with the adapter's matrices. */
    @ParameterizedTest
    @CsvSource({"LLAMA, Q4_K", "QWEN3MOE, Q8_0", "LLAMA, F16"})
    @ByDay({1, 2})
    void responsesDoNotDependOnOthers(DecoderLayout layout, TensorType type) throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(layout, 4, type));
        Path file = spec.write(folder);
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 4, 8)
                        .write(folder.resolve("lora.gguf"), 3, MATRICES);
        ModelSettings plain = Cpu.settings(CONTEXT, 6, Cpu.F16);
        ModelSettings exact = plain.with(plain.computation().with(BatchInvariance.ON));
        try (LoadedModel model =
                LoadedModel.load(Cpu.open(file, Map.of(adapter, 1f)), Cpu.device(), exact)) {
            List<Answer> together =
                    IntStream.range(0, 6)
                            .mapToObj(i -> Answer.apart(spec.tokens(40 + i, i), 12))
                            .toList();
            Answer.submit(model.engine(), together);
            for (int i = 0; i < together.size(); i++) {
                int[] tokens = together.get(i).tokens();
                Answer alone = Answer.apart(spec.tokens(40 + i, i), 12);
                Answer.submit(model.engine(), List.of(alone));
                assertArrayEquals(alone.tokens(), tokens);
            }
        }
    }

    /** Sequences with other scales in one batch; scale 0 has the logits of the model alone. */
    @ParameterizedTest
    @CsvSource({"LLAMA, Q4_K, 8", "QWEN3MOE, Q8_0, 0", "MIXTRAL, F16, 16"})
    void sequencesOfABatchHaveTheirOwnScales(DecoderLayout layout, TensorType type, float alpha)
            throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(layout, 2, type));
        Path file = spec.write(folder);
        Cpu.assumeLibllamaIsRight(file);
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 4, alpha)
                        .write(folder.resolve("lora.gguf"), 3, MATRICES);
        int[] tokens = spec.tokens(60, 1);
        List<Float> scales = List.of(0.75f, 0f, -0.5f);
        List<float[][]> expected = new ArrayList<>();
        for (float scale : scales) {
            try (Oracle oracle = oracle(file)) {
                if (scale != 0) {
                    oracle.adapt(Map.of(adapter, scale));
                }
                expected.add(oracle.logits(tokens));
            }
        }

        List<float[][]> found = together(file, adapter, tokens, scales);

        for (int i = 0; i < scales.size(); i++) {
            assertEquals(
                    0,
                    Comparison.worstRelativeL2(expected.get(i), found.get(i)),
                    "scale " + scales.get(i));
        }
    }

    /** Logits of the same tokens as several sequences of one batch, with a scale of each. */
    private static List<float[][]> together(
            Path file, Path adapter, int[] tokens, List<Float> scales) {
        OpenedModel model = Cpu.open(file, Map.of(adapter, 1f));
        ModelShape shape = model.adapter().shape();
        int span = KvSlotSpan.roundUp(tokens.length);
        List<SequenceChunk> chunks = new ArrayList<>();
        for (int i = 0; i < scales.size(); i++) {
            chunks.add(
                    new SequenceChunk(
                                    i,
                                    tokens,
                                    ChunkPlacement.next(0, new KvSlotSpan(i * span, span), i + 1),
                                    RequestedOutput.ALL)
                            .with(new LoraScales(List.of(scales.get(i)))));
        }
        try (LocalShard shard =
                LocalShard.load(
                        new ModelRange(model.file(), model.adapter(), shape.allLayers()),
                        Cpu.device(),
                        ShardOptions.of(
                                Cpu.F16,
                                new CacheCapacities(span * scales.size(), scales.size() + 1, span)),
                        LoadProgressListener.silent())) {
            float[] logits =
                    shard.forward(new Batch(chunks, Phase.PREFILL), Optional.empty())
                            .join()
                            .logits();
            return IntStream.range(0, scales.size())
                    .mapToObj(i -> rows(logits, i * tokens.length, tokens.length, shape))
                    .toList();
        }
    }

    private static float[][] rows(float[] logits, int first, int count, ModelShape shape) {
        int length = shape.vocabularySize();
        return IntStream.range(first, first + count)
                .mapToObj(row -> Arrays.copyOfRange(logits, row * length, (row + 1) * length))
                .toArray(float[][]::new);
    }

    /** Requests that run together, and one after the other with cached prefixes. */
    @ParameterizedTest
    @CsvSource({"LLAMA, Q4_K", "QWEN3MOE, Q8_0"})
    void requestsHaveTheirOwnScales(DecoderLayout layout, TensorType type) throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(layout, 4, type));
        Path file = spec.write(folder);
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 4, 8)
                        .write(folder.resolve("lora.gguf"), 3, MATRICES);
        int[] prompt = spec.tokens(80, 1);
        List<Float> scales = List.of(0f, 0.5f, 1f, -1f);
        List<int[]> alone = new ArrayList<>();
        for (float scale : scales) {
            try (LoadedModel model =
                    LoadedModel.load(
                            Cpu.open(file, scale == 0 ? Map.of() : Map.of(adapter, scale)),
                            Cpu.device(),
                            Cpu.settings(CONTEXT, 1, Cpu.F16))) {
                alone.add(Answer.ask(model.engine(), prompt, 16).tokens());
            }
        }
        try (LoadedModel model =
                LoadedModel.load(
                        Cpu.open(file, Map.of(adapter, 1f)),
                        Cpu.device(),
                        Cpu.settings(CONTEXT, 4, Cpu.F16))) {
            List<Answer> together =
                    scales.stream().map(scale -> answer(prompt, CacheScope.none(), scale)).toList();
            Answer.submit(model.engine(), together);
            for (int i = 0; i < scales.size(); i++) {
                assertArrayEquals(
                        alone.get(i), together.get(i).tokens(), "together " + scales.get(i));
            }
            for (int i = 0; i < scales.size(); i++) {
                Answer after = answer(prompt, CacheScope.common(), scales.get(i));
                Answer.submit(model.engine(), List.of(after));
                assertArrayEquals(alone.get(i), after.tokens(), "cached " + scales.get(i));
                assertEquals(0, after.end().tokens().cached(), "no prefix of another scale");
            }
        }
    }

    private static Answer answer(int[] prompt, CacheScope scope, float scale) {
        return Answer.adapted(prompt, 16, scope, new LoraScales(List.of(scale)));
    }

    private static float[][] logits(Path file, Map<Path, Float> adapters, int[] tokens) {
        try (LoadedModel model =
                LoadedModel.load(
                        Cpu.open(file, adapters),
                        Cpu.device(),
                        Cpu.settings(CONTEXT, 1, Cpu.F16))) {
            return Cpu.logits(model, tokens);
        }
    }

    @ParameterizedTest
    @CsvSource({"LLAMA, Q4_K", "QWEN3MOE, Q8_0"})
    void partsOfAModelLoadThoseOfTheAdapter(DecoderLayout layout, TensorType type)
            throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(layout, 4, type));
        Path file = spec.write(folder);
        Path adapter =
                new RandomAdapter(file, TensorType.F16, 4, 8)
                        .write(folder.resolve("lora.gguf"), 3, MATRICES);
        int[] tokens = spec.tokens(90, 1);
        float[][] whole = logits(file, Map.of(adapter, 1f), tokens);
        try (LoadedModel split =
                        Cpu.load(
                                Cpu.open(file, Map.of(adapter, 1f)),
                                Cpu.settings(CONTEXT, 1, Cpu.F16),
                                LoadedModel.EngineComponents.NONE,
                                1);
                LoadedModel plain = Cpu.load(file, Cpu.settings(CONTEXT, 1, Cpu.F16))) {
            assertArrayEquals(whole, Cpu.logits(split, tokens));
            assertTrue(
                    Comparison.worstRelativeL2(whole, Cpu.logits(plain, tokens)) > 1e-3,
                    "the adapter changes the logits");
        }
    }

    private static void requireEqual(RandomModel spec, Path file, Map<Path, Float> adapters)
            throws Exception {
        int[] tokens = spec.tokens(200, 1);
        float[][] logits;
        float[][] plain;
        int[] greedy;
        try (Oracle oracle = oracle(file)) {
            plain = oracle.logits(tokens);
            oracle.adapt(adapters);
            logits = oracle.logits(tokens);
            greedy = oracle.greedy(Arrays.copyOf(tokens, 100), 32);
        }
        assertTrue(
                Comparison.worstRelativeL2(plain, logits) > 1e-3,
                "the adapters change the oracle's logits");
        try (LoadedModel model =
                LoadedModel.load(
                        Cpu.open(file, adapters),
                        Cpu.device(),
                        Cpu.settings(CONTEXT, 2, Cpu.F16))) {
            assertEquals(0, Comparison.worstRelativeL2(logits, Cpu.logits(model, tokens)));
            assertArrayEquals(
                    greedy, Answer.ask(model.engine(), Arrays.copyOf(tokens, 100), 32).tokens());
        }
    }

    private static Oracle oracle(Path file) {
        return Oracle.open(
                file, OracleOptions.defaults().withContext(CONTEXT).withThreads(TestThreads.COUNT));
    }
}
