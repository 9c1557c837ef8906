package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The trained demo models against PyTorch, a third implementation, which they come from. Random
 * models cannot show that all of us read an architecture as it was trained.
 */
class DemoModelTest {
    private static final int CONTEXT = 1024;
    private static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);

    @TempDir Path folder;

    /**
     * Files and the largest relative L2. With weights in F32 only the order of sums differs, and
     * the GELU, which ggml looks up in a table of F16: each row is that close. With weights in F16
     * it rounds activations to F16 before each product, an error of up to 2^-11 in each factor,
     * where PyTorch stays in F32. All rows are one vector then: what rounding makes of single ones
     * depends on the processor (with AVX2 1.3e-3 of one in 50), the more where it has another
     * expert chosen.
     */
    static Stream<Arguments> precisions() {
        return Arrays.stream(DemoModel.values())
                .flatMap(
                        model ->
                                Stream.of(
                                        Arguments.of(model, TensorType.F32, 5e-4),
                                        Arguments.of(model, TensorType.F16, 1e-3)));
    }

    @ParameterizedTest
    @MethodSource("precisions")
    @ByDay({1, 4, 5})
    void logitsMatchPyTorch(DemoModel model, TensorType weights, double tolerance)
            throws Exception {
        Path file = withWeights(model, weights);
        DemoModel.Reference reference = model.reference();

        float[][] actual = reference.kept(ours(file, F32, reference.tokens()));

        requireClose("ours", model, weights, reference, actual, tolerance);
    }

    private static void requireClose(
            String whose,
            DemoModel model,
            TensorType weights,
            DemoModel.Reference reference,
            float[][] actual,
            double tolerance) {
        String what = whose + ", " + model + " " + weights;
        if (weights == TensorType.F32) {
            Comparison.assertGradeC(what, reference.logits(), actual, tolerance);
        }
        double distance = Comparison.relativeL2(joined(reference.logits()), joined(actual));
        assertTrue(distance <= tolerance, what + ": relative L2 " + distance);
    }

    /**
     * If libllama fails here and Varve passes the same comparison, or the other way round, one of
     * the two reads the model wrongly.
     */
    @ParameterizedTest
    @MethodSource("precisions")
    @ByDay({1, 4, 5})
    void logitsOfLibllamaMatchPyTorch(DemoModel model, TensorType weights, double tolerance)
            throws Exception {
        Path file = withWeights(model, weights);
        DemoModel.Reference reference = model.reference();

        float[][] actual = reference.kept(libllamas(file, F32, reference.tokens()));

        requireClose("libllama", model, weights, reference, actual, tolerance);
    }

    /** The file as it is, or a copy with matrices of another type. */
    private Path withWeights(DemoModel model, TensorType type) throws IOException {
        Path file = model.file();
        return type == TensorType.F16
                ? file
                : Requantised.write(file, type, folder.resolve("copy.gguf"));
    }

    static Stream<Arguments> quantisations() {
        return Arrays.stream(DemoModel.values())
                .flatMap(
                        model ->
                                Stream.of(
                                        Arguments.of(model, TensorType.Q8_0, 0.9),
                                        Arguments.of(model, TensorType.Q4_0, 0.7)));
    }

    @ParameterizedTest
    @MethodSource("quantisations")
    @ByDay({2, 3, 6})
    void quantizedModelMostlyAgrees(DemoModel model, TensorType type, double share)
            throws Exception {
        Path file = model.file();
        DemoModel.Reference reference = model.reference();
        Path quantised = withWeights(model, type);
        int[] expected = best(reference.kept(ours(file, Cpu.F16, reference.tokens())));

        int[] actual = best(reference.kept(ours(quantised, Cpu.F16, reference.tokens())));

        assertArrayEquals(
                best(reference.kept(libllamas(quantised, Cpu.F16, reference.tokens()))),
                actual,
                "libllama's tokens, " + model + " " + type);
        long same = IntStream.range(0, actual.length).filter(i -> expected[i] == actual[i]).count();
        assertTrue(
                same >= share * actual.length,
                model + " " + type + ": " + same + " of " + actual.length + " tokens as in F16");
    }

    private static float[] joined(float[][] rows) {
        FloatBuffer all = FloatBuffer.allocate(rows.length * rows[0].length);
        Arrays.stream(rows).forEach(all::put);
        return all.array();
    }

    private static int[] best(float[][] rows) {
        return Arrays.stream(rows).mapToInt(Comparison::argmax).toArray();
    }

    private static float[][] ours(Path file, CacheTypes cache, int[] tokens) {
        try (LoadedModel loaded = Cpu.load(file, Cpu.settings(CONTEXT, 1, cache))) {
            return Cpu.logits(loaded, tokens);
        }
    }

    /** With flash attention libllama rounds an F32 cache to F16 before each use. */
    private static float[][] libllamas(Path file, CacheTypes cache, int[] tokens) {
        OracleOptions options =
                OracleOptions.defaults()
                        .withContext(CONTEXT)
                        .withThreads(TestThreads.COUNT)
                        .withCache(TensorType.valueOf(cache.key().name()));
        if (cache.equals(F32)) {
            options = options.withFlashAttention(OracleOptions.FlashAttention.OFF);
        }
        Cpu.assumeLibllamaIsRight(file);
        try (Oracle oracle = Oracle.open(file, options)) {
            return oracle.logits(tokens);
        }
    }
}
