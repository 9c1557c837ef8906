package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.TopTokens;
import dev.varve.platform.shard.local.RowDevices;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tokens that are drawn from the best tokens that a device found, against those of whole rows. */
class SampledRowsTest {
    private static final int ROWS_AT_ONCE = 8;
    private static final int ANSWER = 40;

    private static RowDevices devices;

    @TempDir Path folder;

    @BeforeAll
    static void open() {
        devices = new RowDevices();
    }

    @AfterAll
    static void close() {
        devices.close();
    }

    private static SamplingOptions sampling() {
        return SamplingOptions.greedy()
                .atTemperature(0.9f)
                .within(new SamplingOptions.Cutoffs(40, 0.95f, 0.01f))
                .seededWith(5);
    }

    @ParameterizedTest
    @CsvSource({
        "QWEN35,cpu", "QWEN35MOE,cpu", "GEMMA4,cpu", "LAGUNA,cpu", "QWEN3,cpu",
        "QWEN35,vulkan", "QWEN35MOE,vulkan", "GEMMA4,vulkan", "LAGUNA,vulkan", "QWEN3,vulkan"
    })
    void aFamilysRowsGiveTheTokensOfWholeRows(Family family, String device) throws Exception {
        RandomModel spec = family.odd(1);
        Path file = spec.write(folder);
        float[][] rows =
                new SteppedLogits(FlashAttention.OFF, new CacheTypes(GgmlType.F32, GgmlType.F32))
                        .compute(file, Cpu.device(), spec.tokens(31, 1), spec.tokens(31, 2));
        List<Optional<TopTokens>> found = new ArrayList<>();
        for (int begin = 0; begin < rows.length; begin += ROWS_AT_ONCE) {
            int end = Math.min(rows.length, begin + ROWS_AT_ONCE);
            found.addAll(devices.top(device, Arrays.copyOfRange(rows, begin, end)));
        }

        SamplingOptions greedy = SamplingOptions.greedy();
        for (SamplingOptions options :
                List.of(sampling(), penalised(sampling()), penalised(greedy))) {
            int known = compare(rows, found, options, spec.toString());
            assertTrue(known > rows.length / 2, known + " of " + rows.length + ": " + options);
        }
    }

    private static SamplingOptions penalised(SamplingOptions options) {
        return new SamplingOptions(
                options.temperature(),
                options.cutoffs(),
                new SamplingOptions.Penalties(1.1f, 0.5f, 0.1f),
                options.seed(),
                Map.of(1, -2f));
    }

    /** Returns the number of rows whose best tokens decided the choice. */
    private static int compare(
            float[][] rows,
            List<Optional<TopTokens>> found,
            SamplingOptions options,
            String where) {
        Sampler whole = new Sampler(options, rows[0].length);
        Sampler among = new Sampler(options, rows[0].length);
        int known = 0;
        for (int row = 0; row < rows.length; row++) {
            Optional<TopTokens> top =
                    found.get(row)
                            .filter(
                                    each ->
                                            among.isDecidedByTop(
                                                    token -> true, each.ids(), each.logits()));
            known += top.isPresent() ? 1 : 0;
            int expected = whole.sample(rows[row], 0);
            int actual =
                    top.isPresent()
                            ? among.sampleTop(top.get().ids(), top.get().logits())
                            : among.sample(rows[row], 0);
            assertEquals(expected, actual, where + ", row " + row + ", " + options);
            whole.accept(expected);
            among.accept(expected);
        }
        return known;
    }

    /** Runs in the process: file, target. */
    public static void main(String[] arguments) throws Exception {
        Vulkan.device();
        try (LoadedModel model =
                Vulkan.load(
                        Path.of(arguments[0]),
                        VulkanLogits.settings(FlashAttention.OFF),
                        List.of(Vulkan.device()))) {
            // A bias above 0 needs the whole row; this one is lost in rounding.
            VulkanLogits.write(
                    Path.of(arguments[1]),
                    new float[][] {
                        answer(model, sampling()),
                        answer(model, sampling().biased(Map.of(0, Float.MIN_VALUE)))
                    });
        }
    }

    private static float[] answer(LoadedModel model, SamplingOptions sampling) throws Exception {
        int[] tokens =
                Answer.ask(model.engine(), new int[] {5, 3, 8, 1}, 0, ANSWER, sampling).tokens();
        float[] row = new float[tokens.length];
        for (int i = 0; i < row.length; i++) {
            row[i] = tokens[i];
        }
        return row;
    }

    @Test
    @Tag("nightly")
    void anAnswerOnADeviceIsThatOfWholeRows() throws Exception {
        Vulkan.device();
        Path file = Family.QWEN35.odd(1).write(folder);

        float[][] answers = VulkanLogits.launch(SampledRowsTest.class, file, List.of());

        assertEquals(ANSWER, answers[0].length);
        assertArrayEquals(answers[1], answers[0]);
    }
}
