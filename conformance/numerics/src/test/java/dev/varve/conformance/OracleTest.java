package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.ModelOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Effort;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Random models of odd shapes against libllama, an independent implementation, with the same
 * threads and cache. Windows are short, so that prompts of some hundred tokens pass many of them.
 */
class OracleTest {
    private static final int CONTEXT = 1024;
    private static final int SEEDS = 15;

    /** Seeds of models whose windows differ. */
    private static final int[] SEEDS_BEYOND = {2, 8, 9, 14};

    /** libllama ignores the file's YaRN bounds for laguna. */
    private static final ModelOptions AS_LIBLLAMA =
            new ModelOptions(OptionalDouble.of(32), OptionalDouble.of(1));

    @TempDir Path folder;

    static Stream<Arguments> models() {
        return Stream.concat(
                Arrays.stream(Family.values()).flatMap(OracleTest::ofAllTypes),
                Stream.of(Arguments.of(Family.QWEN3, 5, TensorType.BF16)));
    }

    /** Whatever number of seeds is tried, a family has weights of each type. */
    private static Stream<Arguments> ofAllTypes(Family family) {
        TensorType[] types = {
            TensorType.F32, TensorType.F16, TensorType.Q8_0, TensorType.Q4_0, TensorType.Q4_K
        };
        return IntStream.range(0, SEEDS)
                .filter(seed -> Thorough.tries(7, family.ordinal(), seed))
                .mapToObj(seed -> Arguments.of(family, seed, types[seed % types.length]));
    }

    /** Grade (a): the same operators in the same order give the same bits. */
    @ParameterizedTest
    @MethodSource("models")
    @Proves(Claim.PARITY)
    void logitsMatchLibllama(Family family, int seed, TensorType type) throws Exception {
        RandomModel spec = family.odd(seed, type);
        Path file = spec.write(folder);
        int[] tokens = spec.tokens(530 + seed, seed);
        for (CacheTypes cache : caches(spec, seed)) {
            assertEqualLogits(spec, file, tokens, CONTEXT, cache);
        }
    }

    /** Both types of caches at night; one by day, of which each family gets both with its seeds. */
    private static List<CacheTypes> caches(RandomModel spec, int seed) {
        List<CacheTypes> all =
                Stream.of(Cpu.F16, Cpu.Q8_0).filter(cache -> spec.takes(cache)).toList();
        return Effort.isFull() ? all : List.of(all.get(seed % all.size()));
    }

    /** The window of real models, and prompts that are several times as long. */
    @ParameterizedTest
    @EnumSource(names = {"GEMMA4", "LAGUNA"})
    @ByDay(1)
    @Tag("threads")
    void logitsFarBeyondALongWindowMatchLibllama(Family family) throws Exception {
        RandomModel spec = family.longWindow();
        Path file = spec.write(folder);

        assertEqualLogits(spec, file, spec.tokens(1900, 5), 2048, Cpu.F16);
    }

    /** Grade (a) again: scores, softmax and values as operators of their own. */
    @ParameterizedTest
    @SomeFamilies(first = 0, plain = true)
    @Tag("threads")
    void logitsWithoutFlashAttentionMatchLibllama(Family family) throws Exception {
        RandomModel spec = family.odd(1, TensorType.Q8_0);
        Path file = spec.write(folder);
        Cpu.assumeLibllamaIsRight(file);
        int[] tokens = spec.tokens(300, 1);
        float[][] expected;
        try (Oracle oracle =
                Oracle.open(
                        file,
                        OracleOptions.defaults()
                                .withContext(CONTEXT)
                                .withThreads(TestThreads.COUNT)
                                .withFlashAttention(OracleOptions.FlashAttention.OFF))) {
            expected = oracle.logits(tokens);
        }

        float[][] actual;
        try (LoadedModel model =
                Cpu.load(file, Cpu.with(settings(CONTEXT, 1, Cpu.F16), FlashAttention.OFF))) {
            actual = Cpu.logits(model, tokens);
        }

        assertEquals(0, Comparison.worstRelativeL2(expected, actual), spec.toString());
    }

    static Stream<Arguments> cacheTypes() {
        return Stream.of(GgmlType.BF16, GgmlType.Q5_1, GgmlType.Q5_0, GgmlType.Q4_1, GgmlType.Q4_0)
                .map(type -> Arguments.of(type, type));
    }

    @ParameterizedTest
    @MethodSource("cacheTypes")
    void everyCacheTypeMatchesLibllama(GgmlType key, GgmlType value) throws Exception {
        RandomModel spec = Family.LAGUNA.odd(Family.LAGUNA.quantisableSeed(), TensorType.Q8_0);

        assertEqualLogits(
                spec, spec.write(folder), spec.tokens(300, 3), CONTEXT, new CacheTypes(key, value));
    }

    private void assertEqualLogits(
            RandomModel spec, Path file, int[] tokens, int context, CacheTypes cache) {
        float[][] expected;
        try (Oracle oracle = oracle(file, context, cache)) {
            expected = oracle.logits(tokens);
        }

        float[][] actual;
        try (LoadedModel model = Cpu.load(file, settings(context, 1, cache))) {
            actual = Cpu.logits(model, tokens);
        }

        assertTrue(
                Comparison.topTwo(expected[0]).margin() > 0, "the oracle's logits say something");
        assertEquals(0, Comparison.worstRelativeL2(expected, actual), spec + " " + cache);
    }

    static Stream<Arguments> greedyModels() {
        return Arrays.stream(Family.values())
                .flatMap(
                        family ->
                                IntStream.of(0, 1, 2, 6, 7)
                                        .filter(seed -> Thorough.tries(3, family.ordinal(), seed))
                                        .mapToObj(seed -> Arguments.of(family, seed)));
    }

    @ParameterizedTest
    @MethodSource("greedyModels")
    void greedyOutputMatchesLibllama(Family family, int seed) throws Exception {
        RandomModel spec = family.odd(seed);
        Path file = spec.write(folder);
        int[] prompt = spec.tokens(170, seed);
        int[] expected;
        try (Oracle oracle = oracle(file, CONTEXT, Cpu.F16)) {
            expected = oracle.greedy(prompt, 64);
        }

        try (LoadedModel model = Cpu.load(file, settings(CONTEXT, 2, Cpu.F16))) {
            assertArrayEquals(
                    expected, Answer.ask(model.engine(), prompt, 64).tokens(), spec.toString());
        }
    }

    static Stream<Arguments> windowModels() {
        return Stream.of(Family.GEMMA4, Family.LAGUNA)
                .flatMap(
                        family ->
                                IntStream.range(0, SEEDS_BEYOND.length)
                                        .filter(seed -> Thorough.tries(4, family.ordinal(), seed))
                                        .mapToObj(
                                                seed -> Arguments.of(family, SEEDS_BEYOND[seed])));
    }

    /** Rows of sliding layers have moved by then; libllama keeps all of them. */
    @ParameterizedTest
    @MethodSource("windowModels")
    @ByDay(2)
    @Tag("threads")
    void greedyOutputFarBeyondTheWindowMatchesLibllama(Family family, int seed) throws Exception {
        RandomModel spec = family.odd(seed);
        Path file = spec.write(folder);
        int[] prompt = spec.tokens(1500, seed);
        int[] expected;
        try (Oracle oracle = oracle(file, 2048, Cpu.F16)) {
            expected = oracle.greedy(prompt, 64);
        }

        try (LoadedModel model = Cpu.load(file, settings(2048, 1, Cpu.F16))) {
            assertArrayEquals(
                    expected, Answer.ask(model.engine(), prompt, 64).tokens(), spec.toString());
        }
    }

    static Stream<Arguments> cutModels() {
        return Arrays.stream(Family.values())
                .flatMap(
                        family ->
                                IntStream.of(0, 2, 7, 9)
                                        .filter(seed -> Thorough.tries(3, family.ordinal(), seed))
                                        .mapToObj(seed -> Arguments.of(family, seed)));
    }

    /** Grade (a): every legal cut into two ranges, by hand over one device. */
    @ParameterizedTest
    @MethodSource("cutModels")
    void everySplitIntoTwoRangesMatchesTheWholeModel(Family family, int seed) throws Exception {
        RandomModel spec = family.odd(seed);
        Path file = spec.write(folder);
        int[] tokens = spec.tokens(150, seed);
        float[][] whole;
        try (LoadedModel model = Cpu.load(file, settings(CONTEXT, 1, Cpu.F16))) {
            whole = Cpu.logits(model, tokens);
        }

        for (int cut : Cpu.legalCuts(file)) {
            try (LoadedModel model = Cpu.load(file, settings(CONTEXT, 1, Cpu.F16), cut)) {
                float[][] split = Cpu.logits(model, tokens);
                assertEquals(0, Comparison.worstRelativeL2(whole, split), spec + ", cut " + cut);
            }
        }
    }

    private static ModelSettings settings(int context, int parallel, CacheTypes cache) {
        return Cpu.settings(context, parallel, cache).with(AS_LIBLLAMA);
    }

    private static Oracle oracle(Path file, int context, CacheTypes cache) {
        Cpu.assumeLibllamaIsRight(file);
        return Oracle.open(
                file,
                OracleOptions.defaults()
                        .withContext(context)
                        .withThreads(TestThreads.COUNT)
                        .withCache(TensorType.valueOf(cache.key().name())));
    }
}
