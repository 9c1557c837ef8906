package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.DoubleUnaryOperator;

/** Compares the operators with plain loops in double. */
class PlainLoopTest {
    /** Float rounding of a few operations on numbers below 1. */
    private static final float CLOSE = 2e-6f;

    /** ggml takes GELU and exponents from tables of half precision, or from short series. */
    private static final float COARSE = 2e-3f;

    /** Widths around a SIMD register, where tails go wrong. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 31, 32, 33, 255, 256, 257})
    void productsAreSumsOverTheFirstDimension(int width) {
        float[] a = Cpu.noise(1, width * 3);
        float[] b = Cpu.noise(2, width * 2);
        float[] expected = new float[6];
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 2; column++) {
                double sum = 0;
                for (int k = 0; k < width; k++) {
                    sum += (double) a[row * width + k] * b[column * width + k];
                }
                expected[column * 3 + row] = (float) sum;
            }
        }

        float[] found =
                compute(
                        (bench, ops) ->
                                ops.mulMat(bench.floats(a, width, 3), bench.floats(b, width, 2)));

        // Rounding of a sum of width products below 1/4.
        assertArrayEquals(expected, found, 1e-7f * width + CLOSE, "width " + width);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 31, 32, 33, 255, 256, 257, 5120})
    void rmsNormDividesByTheRootMeanSquare(int width) {
        float[] row = Cpu.noise(4711 + width, width);
        double squares = 0;
        for (float value : row) {
            squares += (double) value * value;
        }
        float[] expected = new float[width];
        for (int i = 0; i < width; i++) {
            expected[i] = (float) (row[i] / Math.sqrt(squares / width + 1e-6));
        }

        float[] found = compute((bench, ops) -> ops.rmsNorm(bench.floats(row, width), 1e-6f));

        assertArrayEquals(expected, found, 1e-5f, "width " + width);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 31, 32, 33, 255, 256, 257, 5120})
    void layerNormSubtractsTheMeanAndDividesByTheDeviation(int width) {
        float[] row = Cpu.noise(42 + width, width);
        double sum = 0;
        for (float value : row) {
            sum += value;
        }
        double squares = 0;
        for (float value : row) {
            squares += Math.pow(value - sum / width, 2);
        }
        float[] expected = new float[width];
        for (int i = 0; i < width; i++) {
            expected[i] = (float) ((row[i] - sum / width) / Math.sqrt(squares / width + 1e-6));
        }

        float[] found = compute((bench, ops) -> ops.layerNorm(bench.floats(row, width), 1e-6f));

        assertArrayEquals(expected, found, 2e-5f, "width " + width);
    }

    @Test
    void unaryFunctionsMatchTheirDefinitions() {
        elementwise("sigmoid", CLOSE, x -> 1 / (1 + Math.exp(-x)), Ops::sigmoid);
        elementwise("silu", CLOSE, x -> x / (1 + Math.exp(-x)), Ops::silu);
        elementwise("softplus", CLOSE, x -> Math.log1p(Math.exp(x)), Ops::softplus);
        elementwise("exp", CLOSE, Math::exp, Ops::exp);
        elementwise("tanh", CLOSE, Math::tanh, Ops::tanh);
        elementwise("neg", 0, x -> -x, Ops::neg);
        elementwise("relu", 0, x -> Math.max(x, 0), Ops::relu);
        elementwise("sqr", CLOSE, x -> x * x, Ops::sqr);
        elementwise("fill", 0, x -> 2.5, (ops, a) -> ops.fill(a, 2.5f));
        elementwise("scale", CLOSE, x -> 0.125 * x, (ops, a) -> ops.scale(a, 0.125f));
        elementwise("gelu", COARSE, PlainLoopTest::gelu, Ops::gelu);
        elementwise(
                "clamp", 0, x -> Math.clamp(x, -0.25, 0.25), (ops, a) -> ops.clamp(a, -.25f, .25f));
    }

    @Test
    void gatedUnitsMultiplyWithTheActivationOfTheOtherHalf() {
        float[] a = Cpu.noise(5, 64);
        float[] b = Cpu.noise(6, 64);
        float[] silu = new float[64];
        float[] gelu = new float[64];
        for (int i = 0; i < 64; i++) {
            silu[i] = (float) (a[i] / (1 + Math.exp(-a[i])) * b[i]);
            gelu[i] = (float) (gelu(a[i]) * b[i]);
        }

        assertArrayEquals(
                silu,
                compute((bench, o) -> o.swigluSplit(bench.floats(a, 64), bench.floats(b, 64))),
                CLOSE);
        assertArrayEquals(
                gelu,
                compute((bench, o) -> o.gegluSplit(bench.floats(a, 64), bench.floats(b, 64))),
                COARSE);
    }

    @Test
    void limitedGatedUnitLimitsBothHalves() {
        float[] a = Cpu.noise(15, 64);
        float[] b = Cpu.noise(16, 64);
        float[] expected = new float[64];
        for (int i = 0; i < 64; i++) {
            a[i] *= 20;
            b[i] *= 20;
            double x = Math.min(a[i], 3);
            double y = Math.clamp(b[i], -3, 3);
            expected[i] = (float) (x / (1 + Math.exp(-1.702 * x)) * (1 + y));
        }

        assertArrayEquals(
                expected,
                compute(
                        (bench, o) ->
                                o.swigluLimited(
                                        bench.floats(a, 64), bench.floats(b, 64), 1.702f, 3)),
                1e-4f);
    }

    /** Two sequences of three tokens, two heads of two rows over one group, states in any row. */
    @Test
    void scanAdvancesTheStateOfEachSequence() {
        int n = 4;
        int p = 2;
        int heads = 2;
        int tokens = 3;
        int sequences = 2;
        float[] x = Cpu.noise(21, p * heads * tokens * sequences);
        float[] dt = Cpu.noise(22, heads * tokens * sequences);
        float[] decay = {-0.5f, -1.5f};
        float[] b = Cpu.noise(23, n * tokens * sequences);
        float[] c = Cpu.noise(24, n * tokens * sequences);
        float[] states = Cpu.noise(25, n * p * heads * 3);
        int[] rows = {2, 0};
        float[] expected = new float[x.length + n * p * heads * sequences];
        for (int s = 0; s < sequences; s++) {
            for (int h = 0; h < heads; h++) {
                for (int i = 0; i < p; i++) {
                    int cell = (h * p + i) * n;
                    double[] state = new double[n];
                    for (int j = 0; j < n; j++) {
                        state[j] = states[rows[s] * n * p * heads + cell + j];
                    }
                    for (int t = 0; t < tokens; t++) {
                        int column = s * tokens + t;
                        double delta = Math.log1p(Math.exp(dt[column * heads + h]));
                        double out = 0;
                        for (int j = 0; j < n; j++) {
                            state[j] =
                                    state[j] * Math.exp(delta * decay[h])
                                            + delta
                                                    * x[(column * heads + h) * p + i]
                                                    * b[column * n + j];
                            out += state[j] * c[column * n + j];
                        }
                        expected[(column * heads + h) * p + i] = (float) out;
                    }
                    for (int j = 0; j < n; j++) {
                        expected[x.length + s * n * p * heads + cell + j] = (float) state[j];
                    }
                }
            }
        }

        float[] found =
                compute(
                        (bench, o) ->
                                o.ssmScan(
                                        new ScanInputs(
                                                bench.floats(x, p, heads, tokens, sequences),
                                                bench.floats(dt, heads, tokens, sequences),
                                                bench.floats(decay, 1, heads),
                                                bench.floats(b, n, 1, tokens, sequences),
                                                bench.floats(c, n, 1, tokens, sequences)),
                                        bench.floats(states, n, p, heads, 3),
                                        bench.ints(rows)));

        assertArrayEquals(expected, found, 1e-5f);
    }

    @Test
    void secondOperandIsBroadcast() {
        float[] a = Cpu.noise(7, 12);
        float[] b = {2, -1, 0.5f};
        float[] sum = new float[12];
        float[] difference = new float[12];
        float[] product = new float[12];
        float[] quotient = new float[12];
        for (int i = 0; i < 12; i++) {
            sum[i] = a[i] + b[i % 3];
            difference[i] = a[i] - b[i % 3];
            product[i] = a[i] * b[i % 3];
            quotient[i] = a[i] / b[i % 3];
        }

        assertArrayEquals(sum, both(a, b, Ops::add), CLOSE);
        assertArrayEquals(difference, both(a, b, Ops::sub), CLOSE);
        assertArrayEquals(product, both(a, b, Ops::mul), CLOSE);
        assertArrayEquals(quotient, both(a, b, Ops::div), CLOSE);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "0.25, false", "1, true", "0.25, true"})
    void softmaxAppliesScaleAndMask(float scale, boolean masked) {
        int width = 33;
        float[] row = Cpu.noise(8, width);
        float[] mask = new float[width];
        for (int i = 0; i < width; i++) {
            mask[i] = masked && i % 3 == 1 ? Float.NEGATIVE_INFINITY : 0;
        }

        float[] found =
                compute(
                        (bench, ops) ->
                                ops.softMaxExt(
                                        bench.floats(row, width),
                                        Optional.of(bench.floats(mask, width)),
                                        scale));

        assertArrayEquals(floats(softmax(row, mask, scale)), found, CLOSE);
    }

    @Test
    void sumAndArgmaxArePerRow() {
        float[] rows = {1, 5, -2, 4, 4, 3};

        assertArrayEquals(
                new float[] {4, 11},
                compute((bench, ops) -> ops.sumRows(bench.floats(rows, 3, 2))));
        assertArrayEquals(
                new float[] {5, 1, 4, 4},
                compute(
                        (bench, ops) -> {
                            Tensor a = bench.floats(rows, 1, 3, 2);
                            Tensor order = ops.argsortTopK(bench.floats(rows, 3, 2), 2);
                            return ops.getRows(a, order);
                        }));
        // In any order, so only their sums are known.
        assertArrayEquals(
                new float[] {6, 8},
                compute(
                        (bench, ops) -> {
                            Tensor a = bench.floats(rows, 1, 3, 2);
                            Tensor some = ops.topK(bench.floats(rows, 3, 2), 2);
                            return ops.sumRows(ops.reshape2d(ops.getRows(a, some), 2, 2));
                        }));
    }

    @Test
    void reshapesKeepElements() {
        float[] a = {1, 2, 3, 4, 5, 6};

        assertArrayEquals(
                new float[] {1, 4, 2, 5, 3, 6},
                compute((bench, ops) -> ops.cont(ops.transpose(bench.floats(a, 3, 2)))));
        assertArrayEquals(
                new float[] {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6},
                compute((bench, ops) -> ops.repeat4d(bench.floats(a, 3, 2), 3, 4, 1, 1)));
        assertArrayEquals(
                new float[] {1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0},
                compute((bench, ops) -> ops.pad(bench.floats(a, 3, 2), 1, 1, 0, 0)));
        assertArrayEquals(
                new float[] {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6},
                compute(
                        (bench, ops) ->
                                ops.concat(bench.floats(a, 3, 2), bench.floats(a, 3, 2), 0)));
    }

    @ParameterizedTest
    @EnumSource(names = {"NORMAL", "NEOX"})
    void ropeRotatesPairsByTheirFrequency(RopeOptions.Mode mode) {
        int head = 16;
        int dims = 12;
        float[] x = Cpu.noise(9, head * 2 * 3);
        int[] positions = {0, 5, 1000};
        float[] expected = x.clone();
        for (int token = 0; token < 3; token++) {
            for (int h = 0; h < 2; h++) {
                int at = (token * 2 + h) * head;
                for (int pair = 0; pair < dims / 2; pair++) {
                    double angle = positions[token] * Math.pow(10000, -2.0 * pair / dims);
                    boolean neighbours = mode == RopeOptions.Mode.NORMAL;
                    int first = at + (neighbours ? 2 * pair : pair);
                    int second = neighbours ? first + 1 : first + dims / 2;
                    expected[first] =
                            (float) (x[first] * Math.cos(angle) - x[second] * Math.sin(angle));
                    expected[second] =
                            (float) (x[first] * Math.sin(angle) + x[second] * Math.cos(angle));
                }
            }
        }

        float[] found =
                compute(
                        (bench, ops) ->
                                ops.ropeExt(
                                        bench.floats(x, head, 2, 3),
                                        bench.ints(positions),
                                        Optional.empty(),
                                        RopeOptions.plain(dims, mode, 10000, 4096)));

        // The angle of position 1000 is a float: rounded by 1000 / 2^24.
        assertArrayEquals(expected, found, 2e-4f, mode.toString());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "30, 1", "0, 2"})
    void attentionWeightsValuesByScores(float softcap, int headsPerKey) {
        int length = 32;
        int cells = 5;
        float[] query = Cpu.noise(10, length * headsPerKey);
        float[] keys = Cpu.noise(11, length * cells);
        float[] values = Cpu.noise(12, length * cells);
        float scale = 0.2f;
        float[] expected = new float[length * headsPerKey];
        for (int head = 0; head < headsPerKey; head++) {
            float[] scores = new float[cells];
            for (int cell = 0; cell < cells; cell++) {
                double sum = 0;
                for (int i = 0; i < length; i++) {
                    sum += (double) query[head * length + i] * keys[cell * length + i];
                }
                double scaled = sum * scale;
                scores[cell] =
                        (float) (softcap == 0 ? scaled : softcap * Math.tanh(scaled / softcap));
            }
            double[] shares = softmax(scores, new float[cells], 1);
            for (int i = 0; i < length; i++) {
                double mixed = 0;
                for (int cell = 0; cell < cells; cell++) {
                    mixed += shares[cell] * values[cell * length + i];
                }
                expected[head * length + i] = (float) mixed;
            }
        }

        float[] found =
                compute(
                        (bench, ops) ->
                                ops.flashAttention(
                                        bench.floats(query, length, 1, headsPerKey),
                                        bench.floats(keys, length, cells, 1),
                                        bench.floats(values, length, cells, 1),
                                        Optional.empty(),
                                        new AttentionOptions(scale, 0, softcap)));

        // Shares of five scores that differ little; sums of 32 products.
        assertArrayEquals(expected, found, 1e-4f);
    }

    @Test
    void attentionOverOneCellReturnsItsValue() {
        float[] value = Cpu.noise(13, 32);

        float[] found =
                compute(
                        (bench, ops) ->
                                ops.flashAttention(
                                        bench.random(14, 32, 1, 1),
                                        bench.random(15, 32, 1, 1),
                                        bench.floats(value, 32, 1, 1),
                                        Optional.empty(),
                                        AttentionOptions.scaled(1)));

        assertArrayEquals(value, found, CLOSE);
        assertEquals(new AttentionOptions(3, 0, 0), AttentionOptions.scaled(3));
    }

    private static void elementwise(
            String name,
            float tolerance,
            DoubleUnaryOperator plain,
            BiFunction<Ops, Tensor, Tensor> operator) {
        float[] input = Cpu.noise(3, 257);
        float[] expected = new float[input.length];
        for (int i = 0; i < input.length; i++) {
            expected[i] = (float) plain.applyAsDouble(input[i]);
        }

        float[] found =
                compute((bench, ops) -> operator.apply(ops, bench.floats(input, input.length)));

        assertArrayEquals(expected, found, tolerance, name);
    }

    private interface TwoOperands {
        Tensor apply(Ops ops, Tensor a, Tensor b);
    }

    private static float[] both(float[] a, float[] b, TwoOperands operator) {
        return compute(
                (bench, ops) ->
                        operator.apply(
                                ops, bench.floats(a, b.length, 4), bench.floats(b, b.length)));
    }

    private static float[] compute(BiFunction<Cpu.Bench, Ops, Tensor> recipe) {
        try (Cpu.Bench bench = new Cpu.Bench()) {
            return bench.compute(ops -> recipe.apply(bench, ops));
        }
    }

    private static double gelu(double x) {
        return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    }

    private static double[] softmax(float[] row, float[] mask, float scale) {
        double[] shares = new double[row.length];
        double sum = 0;
        for (int i = 0; i < row.length; i++) {
            shares[i] = Math.exp((double) row[i] * scale + mask[i]);
            sum += shares[i];
        }
        for (int i = 0; i < row.length; i++) {
            shares[i] /= sum;
        }
        return shares;
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }
}
