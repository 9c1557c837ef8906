package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Comparison.GreedyRun;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Models on a device with memory of its own, whole and beside the processor, teacher-forced on what
 * the processor said. Grade (c): two backends never round alike.
 */
class MixedDevicesTest {
    private static final int PROMPT = 70;
    private static final int ANSWER = 24;

    /**
     * The largest error that the rounding of two backends may cause, with F32 throughout the cache.
     */
    private static final double TOLERANCE = 1e-2;

    @TempDir Path folder;

    /** Seeds whose recurrent states have sizes for which there are shaders: not 48. */
    static Stream<Arguments> models() {
        return Thorough.first(
                1,
                List.of(
                        Arguments.of(Family.QWEN35, 1, TensorType.F32),
                        Arguments.of(Family.GEMMA4, 8, TensorType.F16),
                        Arguments.of(Family.QWEN35MOE, 1, TensorType.F32),
                        Arguments.of(Family.LAGUNA, 1, TensorType.F32)));
    }

    @ParameterizedTest
    @MethodSource("models")
    void everyPlacementMatchesTheLogitsOfTheProcessor(
            Family family, int seed, TensorType type, TestReporter reporter) throws Exception {
        Vulkan.device();
        ComputeDevice cpu = Cpu.device();
        RandomModel spec = family.odd(seed, type);
        Path file = spec.write(folder);
        GreedyRun expected = greedy(file, spec.tokens(PROMPT, seed), cpu);
        int[] forced = Arrays.copyOf(expected.tokens(), expected.tokens().length - 1);
        int cut = middle(Cpu.legalCuts(file));

        float[][] plain = logits(file, forced, List.of(cpu));
        for (List<String> devices :
                Thorough.first(
                                1,
                                List.of(
                                        List.of("cpu:0", "vulkan:0"),
                                        List.of("vulkan:0", "cpu:0"),
                                        List.of("vulkan:0")))
                        .toList()) {
            String what = spec + " on " + devices;
            int[] cuts = devices.size() == 1 ? new int[0] : new int[] {cut};
            float[][] actual =
                    VulkanLogits.compute(file, forced, FlashAttention.OFF.name(), devices, cuts);
            reporter.publishEntry(
                    what,
                    String.format(Locale.ROOT, "%.2e", Comparison.worstRelativeL2(plain, actual)));
            Comparison.assertGradeC(what, plain, actual, TOLERANCE);
            assertSameChoices(what, plain, actual);
        }
    }

    /** A choice that differs was too close to call. */
    private static void assertSameChoices(String what, float[][] plain, float[][] actual) {
        for (int row = PROMPT - 1; row < plain.length; row++) {
            Comparison.assertGreedyGradeC(
                    what + ", row " + row,
                    new GreedyRun(
                            new int[] {Comparison.argmax(plain[row])}, new float[][] {plain[row]}),
                    new int[] {Comparison.argmax(actual[row])},
                    Comparison.worstDifference(plain[row], actual[row]));
        }
    }

    /** The prompt and what the processor answers. */
    private static GreedyRun greedy(Path file, int[] prompt, ComputeDevice cpu) throws Exception {
        try (LoadedModel model =
                Vulkan.load(file, VulkanLogits.settings(FlashAttention.OFF), List.of(cpu))) {
            int[] answer = Answer.ask(model.engine(), prompt, ANSWER).tokens();
            int[] all = IntStream.concat(Arrays.stream(prompt), Arrays.stream(answer)).toArray();
            return new GreedyRun(all, new float[0][]);
        }
    }

    private static float[][] logits(
            Path file, int[] tokens, List<ComputeDevice> devices, int... cuts) {
        try (LoadedModel model =
                Vulkan.load(file, VulkanLogits.settings(FlashAttention.OFF), devices, cuts)) {
            return Cpu.logits(model, tokens);
        }
    }

    private static int middle(int[] cuts) {
        return cuts[cuts.length / 2];
    }
}
