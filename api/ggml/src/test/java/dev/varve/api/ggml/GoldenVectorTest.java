package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Optional;

/** Results of the operators whose contracts are easy to get wrong, against recorded numbers. */
class GoldenVectorTest {
    private static final float TOLERANCE = 1e-5f;

    @Test
    void generatorProducesTheRecordedInputs() {
        near(new float[] {-0.173691f, -0.205399f, -0.131500f, -0.240372f}, Cpu.noise(9, 4), 0);
    }

    @Test
    void gatedDeltaRuleWritesOutputsThenState() {
        try (Cpu.Bench bench = new Cpu.Bench()) {
            Tensor q = bench.random(17, 16, 2, 3, 1);
            Tensor k = bench.random(18, 16, 2, 3, 1);
            Tensor v = bench.random(19, 16, 4, 3, 1);
            Tensor g = bench.random(20, 1, 4, 3, 1);
            Tensor beta = bench.random(21, 1, 4, 3, 1);
            Tensor state = bench.random(22, 16, 16, 4, 1);

            float[] result =
                    bench.compute(
                            ops -> ops.gatedDeltaNet(new DeltaInputs(q, k, v, g, beta), state, 1));

            int outputs = 16 * 4 * 3;
            assertEquals(outputs + 16 * 16 * 4, result.length);
            near(new float[] {-0.041382f, -0.062851f, -0.135012f, 0.055274f}, result, 0);
            near(
                    new float[] {0.141483f, -0.018439f, -0.021474f, 0.010175f},
                    result,
                    (2 * 4 + 3) * 16);
            near(new float[] {0.207332f, -0.405731f, -0.474760f, -0.117277f}, result, outputs);
            near(
                    new float[] {0.480990f, -0.271566f, 0.255114f, 0.299998f},
                    result,
                    outputs + (3 * 16 + 5) * 16);
            assertEquals(0.061586, sum(result, 0, outputs), 1e-4);
            assertEquals(17.623891, sum(result, outputs, result.length), 1e-3);
        }
    }

    @Test
    void convolutionRunsOverTimePerChannel() {
        try (Cpu.Bench bench = new Cpu.Bench()) {
            Tensor input = bench.random(5, 3 + 2, 128, 1);
            Tensor kernel = bench.random(6, 4, 128);

            float[] result = bench.compute(ops -> ops.ssmConv(input, kernel));

            near(new float[] {-0.265424f, 0.301295f, 0.098275f, -0.019952f}, result, 0);
            near(new float[] {-0.030746f, 0.061537f, 0.259393f, -0.124604f}, result, 128);
        }
    }

    @Test
    void multiAxisRopeUsesTheAxesInTurn() {
        try (Cpu.Bench bench = new Cpu.Bench()) {
            Tensor x = bench.random(9, 256, 1, 1);
            Tensor positions = bench.ints(100, 20, 30, 0);
            var options = RopeOptions.plain(64, RopeOptions.Mode.INTERLEAVED_MULTI_AXIS, 1e7f, 0);

            float[] result =
                    bench.compute(
                            ops -> ops.ropeMulti(x, positions, new int[] {11, 11, 10, 0}, options));

            near(new float[] {-0.197125f, -0.135199f, -0.194895f, 0.208476f}, result, 0);
            near(new float[] {0.007319f, 0.185008f, 0.139476f, 0.426989f}, result, 32);
            near(Arrays.copyOfRange(Cpu.noise(9, 256), 64, 256), result, 64);
            assertEquals(-0.379288f, result[64], TOLERANCE);
        }
    }

    @Test
    void yarnRopeBlendsFrequencies() {
        try (Cpu.Bench bench = new Cpu.Bench()) {
            Tensor x = bench.random(9, 128, 1, 1);
            Tensor positions = bench.ints(1000);
            var options =
                    new RopeOptions(
                            64,
                            RopeOptions.Mode.NEOX,
                            5e5f,
                            1 / 32f,
                            new RopeOptions.Yarn(4096, 1, 1, 64, 1));

            float[] result =
                    bench.compute(ops -> ops.ropeExt(x, positions, Optional.empty(), options));

            near(new float[] {-0.027419f, 0.297716f, -0.012000f, 0.290190f}, result, 0);
            near(new float[] {-0.616176f, 0.423290f, -0.341360f, -0.436109f}, result, 16);
            near(new float[] {-0.264207f, 0.081075f, -0.322499f, 0.570255f}, result, 32);
        }
    }

    @Test
    void frequencyFactorsDisableRopeForPairs() {
        try (Cpu.Bench bench = new Cpu.Bench()) {
            float[] divisors = new float[256];
            Arrays.fill(divisors, 0, 64, 1);
            Arrays.fill(divisors, 64, 256, 1e30f);
            Tensor x = bench.random(9, 512, 1, 1);
            Tensor positions = bench.ints(1000);
            Tensor factors = bench.floats(divisors, 256);
            var options = RopeOptions.plain(512, RopeOptions.Mode.NEOX, 1e6f, 0);

            float[] result =
                    bench.compute(ops -> ops.ropeExt(x, positions, Optional.of(factors), options));

            near(new float[] {-0.073430f, 0.222362f, 0.135391f, 0.279089f}, result, 0);
            near(new float[] {-0.379288f, -0.474014f, -0.367599f, 0.016556f}, result, 64);
            near(new float[] {-0.160114f, 0.275652f, 0.311126f, -0.073890f}, result, 256);
        }
    }

    private static void near(float[] expected, float[] found, int from) {
        assertArrayEquals(
                expected, Arrays.copyOfRange(found, from, from + expected.length), TOLERANCE);
    }

    private static double sum(float[] values, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += values[i];
        }
        return sum;
    }
}
