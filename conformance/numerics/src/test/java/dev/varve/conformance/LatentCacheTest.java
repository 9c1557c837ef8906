package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.DecoderModel.Latent;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Caches of latent attention hold one row per token and layer, which contains its values. */
class LatentCacheTest {
    private static final int CONTEXT = 1024;
    private static final int LAYERS = 4;

    /** Elements of a row and of the values in it, as in the released models. */
    private static final Latent RELEASED = new Latent(192, 64, 128, 512, 96);

    /** Rows of 96 elements: whole blocks of 32. */
    private static final Latent PLAIN = new Latent(64, 32, 64, 64, 96);

    /** Rows of 192 elements, a multiple of 64: rows beside their values would be rotated. */
    private static final Latent WHOLE = new Latent(96, 64, 64, 128, 96);

    /** Rows that are no whole blocks of 32 elements. */
    private static final Latent ODD = new Latent(64, 16, 64, 64, 96);

    @TempDir Path folder;

    private static RandomModel model(Latent latent) {
        return RandomModel.of(
                new DecoderModel(DecoderLayout.DEEPSEEK2, 2, TensorType.Q8_0).with(latent));
    }

    static Stream<Arguments> rows() {
        return Stream.of(
                Arguments.of(Cpu.F16, 576 * 2, 512 * 2),
                Arguments.of(Cpu.Q8_0, 576 * 34 / 32, 512 * 34 / 32),
                Arguments.of(new CacheTypes(GgmlType.Q8_0, GgmlType.F16), 576 * 34 / 32, 512 * 2));
    }

    /** A V tensor beside the K tensor would take nearly as much again. */
    @ParameterizedTest
    @MethodSource("rows")
    void planAndShardHoldEachRowOnce(CacheTypes types, long keyBytes, long valueBytes)
            throws Exception {
        Path file = model(RELEASED).write(folder);
        ModelSettings settings = Cpu.settings(CONTEXT, 1, types);
        long once = CONTEXT * LAYERS * keyBytes;
        long twice = CONTEXT * LAYERS * (keyBytes + valueBytes);

        try (LoadedModel model = Cpu.load(file, settings)) {
            assertEquals(CONTEXT, model.plan().capacities().slots());
            assertEquals(once, model.plan().need().kvBytes());
        }
        long allocated = allocated(file, types);

        assertTrue(allocated >= once && allocated < once + (1 << 16), once + ": " + allocated);
        assertTrue(allocated < 0.54 * twice, twice + " with a copy: " + allocated);
    }

    private static long allocated(Path file, CacheTypes types) {
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        ModelShape shape = adapter.shape();
        try (LocalShard shard =
                LocalShard.load(
                        new ModelRange(gguf, adapter, shape.allLayers()),
                        Cpu.device(),
                        ShardOptions.of(types, new CacheCapacities(CONTEXT, 2, 0)),
                        LoadProgressListener.silent())) {
            return shard.memory().kv();
        }
    }

    static Stream<Arguments> computations() {
        return Stream.of(
                Arguments.of(RELEASED, TensorType.F16, FlashAttention.ON),
                Arguments.of(RELEASED, TensorType.Q8_0, FlashAttention.ON),
                Arguments.of(RELEASED, TensorType.Q4_0, FlashAttention.ON),
                Arguments.of(PLAIN, TensorType.Q8_0, FlashAttention.ON),
                Arguments.of(PLAIN, TensorType.Q4_0, FlashAttention.ON),
                Arguments.of(WHOLE, TensorType.Q8_0, FlashAttention.ON),
                Arguments.of(PLAIN, TensorType.F16, FlashAttention.OFF));
    }

    /** Grade (a): the same operators in the same order give the same bits. */
    @ParameterizedTest
    @MethodSource("computations")
    @ByDay({2, 5, 6, 7})
    void logitsAndGreedyOutputMatchLibllama(
            Latent latent, TensorType cache, FlashAttention attention) throws Exception {
        RandomModel spec = model(latent);
        Path file = spec.write(folder);
        Cpu.assumeLibllamaIsRight(file);
        int[] tokens = spec.tokens(300, 5);
        int[] prompt = Arrays.copyOf(tokens, 170);
        float[][] logits;
        int[] greedy;
        try (Oracle oracle =
                Oracle.open(
                        file,
                        OracleOptions.defaults()
                                .withContext(CONTEXT)
                                .withThreads(TestThreads.COUNT)
                                .withCache(cache)
                                .withFlashAttention(
                                        OracleOptions.FlashAttention.valueOf(attention.name())))) {
            logits = oracle.logits(tokens);
            greedy = oracle.greedy(prompt, 32);
        }

        CacheTypes types =
                new CacheTypes(GgmlType.valueOf(cache.name()), GgmlType.valueOf(cache.name()));
        try (LoadedModel model =
                Cpu.load(file, Cpu.with(Cpu.settings(CONTEXT, 2, types), attention))) {
            String what = latent + " " + types + " " + attention;
            assertEquals(0, Comparison.worstRelativeL2(logits, Cpu.logits(model, tokens)), what);
            assertArrayEquals(greedy, Answer.ask(model.engine(), prompt, 32).tokens(), what);
        }
    }

    /** The type of V rows is for rows beside K rows; these have the type of the K rows. */
    @Test
    void typeOfValuesIsThatOfTheKeysThatTheyAreIn() throws Exception {
        RandomModel spec = model(WHOLE);
        Path file = spec.write(folder);
        int[] tokens = spec.tokens(120, 6);
        float[][] same;
        try (LoadedModel model = Cpu.load(file, Cpu.settings(CONTEXT, 1, Cpu.Q8_0))) {
            same = Cpu.logits(model, tokens);
        }

        CacheTypes mixed = new CacheTypes(GgmlType.Q8_0, GgmlType.F16);
        try (LoadedModel model = Cpu.load(file, Cpu.settings(CONTEXT, 1, mixed))) {
            assertEquals(0, Comparison.worstRelativeL2(same, Cpu.logits(model, tokens)));
        }
    }

    /** There is no pair of types: the rows have the type of the keys, and values are in them. */
    @Test
    void refusalWithoutFlashAttentionNamesTypesOfTheOneRow() throws Exception {
        Path file = model(WHOLE).write(folder);
        ModelSettings asked = Cpu.settings(CONTEXT, 1, new CacheTypes(GgmlType.Q8_0, GgmlType.F16));
        ModelSettings settings = asked.with(asked.computation().with(FlashAttention.OFF));

        VarveException refusal =
                assertThrows(VarveException.class, () -> Cpu.load(file, settings).close());

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        String message = refusal.getMessage();
        assertTrue(
                message.startsWith(Setting.KEY_CACHE_TYPE + ": q8_0 does not work for "), message);
        assertTrue(message.contains(" with one row for keys and values of ["), message);
        assertTrue(
                message.endsWith(
                        "; quantised values need flash attention; types that work: f16, bf16, f32"),
                message);
    }

    @Test
    void rowsThatAreNoWholeBlocksOfTheTypeAreRefused() throws Exception {
        Path file = model(ODD).write(folder);

        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () -> Cpu.load(file, Cpu.settings(CONTEXT, 1, Cpu.Q8_0)).close());

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(
                refusal.getMessage()
                        .endsWith(
                                "q8_0 stores blocks of 32 elements, but the model's rows have 80"),
                refusal.getMessage());
    }
}
