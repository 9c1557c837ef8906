package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A device with memory of its own, step by step as an engine uses it: prompts in chunks beyond the
 * windows, then two sequences token by token. Grade (c) against the processor.
 */
class VulkanStepsTest {
    private static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);

    /** The largest error that the rounding of two backends may cause. */
    private static final double TOLERANCE = 1e-2;

    @TempDir Path folder;

    /**
     * Routed experts in F32: with F16 weights the processor rounds activations to F16, after which
     * a near tie may go to another expert.
     */
    static Stream<Arguments> models() {
        return Thorough.first(
                1,
                List.of(
                        Arguments.of(Family.QWEN35MOE, 1, TensorType.F32),
                        Arguments.of(Family.LAGUNA, 1, TensorType.F32),
                        Arguments.of(Family.QWEN35, 1, TensorType.F16),
                        Arguments.of(Family.GEMMA4, 8, TensorType.F32)));
    }

    @ParameterizedTest
    @MethodSource("models")
    @Tag("nightly")
    void decodingTwoSequencesMatchesTheProcessor(
            Family family, int seed, TensorType type, TestReporter reporter) throws Exception {
        Vulkan.device();
        RandomModel spec = family.odd(seed, type);
        Path file = spec.write(folder);
        int[] one = spec.tokens(52, seed);
        int[] other = spec.tokens(20, seed + 1);
        SteppedLogits steps = new SteppedLogits(FlashAttention.OFF, F32);
        float[][] expected = steps.compute(file, Cpu.device(), one, other);

        float[][] actual = steps.onVulkan(file, one, other);

        reporter.publishEntry(
                spec.toString(),
                String.format(Locale.ROOT, "%.2e", Comparison.worstRelativeL2(expected, actual)));
        Comparison.assertGradeC(spec.toString(), expected, actual, TOLERANCE);
    }

    /** In decode, the inputs of a graph go to the device in one copy; in prefill, one by one. */
    @ParameterizedTest
    @MethodSource("models")
    @Tag("nightly")
    void inputsInOneCopyGiveTheLogitsOfInputsOneByOne(Family family, int seed, TensorType type)
            throws Exception {
        Vulkan.device();
        RandomModel spec = family.odd(seed, type);
        Path file = spec.write(folder);
        int[] one = spec.tokens(52, seed);
        int[] other = spec.tokens(20, seed + 1);

        float[][] together =
                new SteppedLogits(FlashAttention.OFF, F32, Phase.DECODE).onVulkan(file, one, other);
        float[][] apart =
                new SteppedLogits(FlashAttention.OFF, F32, Phase.PREFILL)
                        .onVulkan(file, one, other);

        assertEquals(apart.length, together.length);
        for (int row = 0; row < apart.length; row++) {
            assertArrayEquals(apart[row], together[row], spec + ", row " + row);
        }
    }
}
