package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random models of the families that are described by their layers, against libllama. */
class DecoderOracleTest {
    private static final int CONTEXT = 1024;
    private static final TensorType[] TYPES = {
        TensorType.F32, TensorType.Q8_0, TensorType.Q4_K, TensorType.F16
    };

    @TempDir Path folder;

    static Stream<Arguments> models() {
        return Stream.concat(
                Arrays.stream(DecoderLayout.values())
                        .flatMap(
                                layout ->
                                        IntStream.range(0, TYPES.length)
                                                .filter(
                                                        seed ->
                                                                Thorough.tries(
                                                                        TYPES.length,
                                                                        layout.ordinal(),
                                                                        seed))
                                                .mapToObj(
                                                        seed ->
                                                                Arguments.of(
                                                                        layout,
                                                                        seed,
                                                                        TYPES[seed]))),
                // The type of the experts in released files.
                Stream.of(Arguments.of(DecoderLayout.GPT_OSS, 4, TensorType.MXFP4)));
    }

    /** Grade (a): the same operators in the same order give the same bits. */
    @ParameterizedTest
    @MethodSource("models")
    @Proves(Claim.PARITY)
    void logitsAndGreedyOutputMatchLibllama(DecoderLayout layout, int seed, TensorType type)
            throws Exception {
        requireEqual(RandomModel.of(new DecoderModel(layout, seed, type)), seed, CONTEXT);
    }

    /**
     * Sequences of at most 512 tokens have the factors for short contexts, even where the model was
     * trained for more; longer ones have the others, also at the beginning of a sequence.
     */
    @ParameterizedTest
    @ValueSource(ints = {DecoderModel.LONG_CONTEXT, CONTEXT})
    void lengthOfSequencesDecidesTheRotationsAsInLibllama(int context) throws Exception {
        DecoderModel model =
                IntStream.range(0, 20)
                        .mapToObj(seed -> new DecoderModel(DecoderLayout.PHI3, seed, TYPES[1]))
                        .filter(DecoderModel::hasFactorsByContext)
                        .findFirst()
                        .orElseThrow();

        requireEqual(RandomModel.of(model), 1, context);
    }

    private void requireEqual(RandomModel spec, int seed, int context) throws Exception {
        Path file = spec.write(folder);
        Cpu.assumeLibllamaIsRight(file);
        int[] tokens = spec.tokens(300 + seed, seed);
        float[][] logits;
        int[] greedy;
        try (Oracle oracle = oracle(file, context, Cpu.F16)) {
            logits = oracle.logits(tokens);
            greedy = oracle.greedy(Arrays.copyOf(tokens, 170), 64);
        }

        try (LoadedModel model = Cpu.load(file, Cpu.settings(context, 2, Cpu.F16))) {
            float[][] own = Cpu.logits(model, tokens);
            assertTrue(
                    Comparison.topTwo(logits[0]).margin() > 0, "the oracle's logits say something");
            assertEquals(0, Comparison.worstRelativeL2(logits, own), spec.toString());
            assertArrayEquals(
                    greedy,
                    Answer.ask(model.engine(), Arrays.copyOf(tokens, 170), 64).tokens(),
                    spec.toString());
        }
    }

    private static Oracle oracle(Path file, int context, CacheTypes cache) {
        return Oracle.open(
                file,
                OracleOptions.defaults()
                        .withContext(context)
                        .withThreads(TestThreads.COUNT)
                        .withCache(TensorType.valueOf(cache.key().name())));
    }
}
