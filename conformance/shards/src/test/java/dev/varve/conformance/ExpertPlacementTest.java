package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.LoadedModel.EngineComponents;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Experts on another queue of the processor compute the numbers of one queue, bit by bit. */
class ExpertPlacementTest {
    private static final String ALL = "_exps=cpu:1";

    /** The largest error that the rounding of two backends may cause, with an F32 cache. */
    private static final double TOLERANCE = 1e-2;

    @TempDir Path folder;

    /** Models with experts, and rules: whole experts, one matrix of each, those of one layer. */
    static Stream<Arguments> models() {
        return Stream.of(
                Arguments.of(Family.QWEN35MOE.odd(1), ALL),
                Arguments.of(Family.LAGUNA.odd(1, TensorType.Q4_K), ALL),
                Arguments.of(Family.GEMMA4.odd(1, TensorType.Q8_0), ALL),
                Arguments.of(Family.GEMMA4.odd(4), "ffn_down_exps=cpu:1"),
                Arguments.of(decoder(DecoderLayout.QWEN3MOE, TensorType.Q4_0), ALL),
                Arguments.of(
                        decoder(DecoderLayout.QWEN3MOE, TensorType.F16), "ffn_(up|down)_exps=CPU1"),
                Arguments.of(decoder(DecoderLayout.GPT_OSS, TensorType.Q8_0), ALL),
                Arguments.of(
                        decoder(DecoderLayout.GPT_OSS, TensorType.F16),
                        "blk\\.(1|3)\\..*_exps=cpu:1"));
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

    /** Layers and experts on a device with memory of its own and on the processor. */
    static Stream<Arguments> devices() {
        return Thorough.first(
                2,
                List.of(
                        Arguments.of(Family.QWEN35MOE.odd(1, TensorType.F32), "vulkan:0", "cpu:0"),
                        Arguments.of(Family.LAGUNA.odd(1, TensorType.F32), "cpu:0", "vulkan:0"),
                        Arguments.of(Family.LAGUNA.odd(1, TensorType.F32), "vulkan:0", "cpu:0"),
                        Arguments.of(
                                Family.QWEN35MOE.odd(1, TensorType.F32), "cpu:0", "vulkan:0")));
    }

    @ParameterizedTest
    @MethodSource("devices")
    void twoBackendsComputeWhatTheProcessorComputes(
            RandomModel spec, String layers, String experts, TestReporter reporter)
            throws Exception {
        Vulkan.device();
        Path file = spec.write(folder);
        int[] tokens = spec.tokens(90, 5);
        float[][] expected;
        try (LoadedModel model = Cpu.load(file, VulkanLogits.settings(FlashAttention.OFF))) {
            expected = Cpu.logits(model, tokens);
        }

        float[][] actual = SpreadModel.logits(file, layers, "_exps=" + experts, tokens);

        String what = spec + " on " + layers + " with experts on " + experts;
        reporter.publishEntry(
                what,
                String.format(Locale.ROOT, "%.2e", Comparison.worstRelativeL2(expected, actual)));
        Comparison.assertGradeC(what, expected, actual, TOLERANCE);
    }
}
