package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Best tokens that a device finds, against a plain loop; rows with ties and NaN are refused. */
class DeviceArgmaxTest {
    private static final int VOCABULARY = 5000;
    private static final int ROWS = CacheUnitBytes.MAX_ROW_MAXIMA;

    private static RowDevices devices;

    @BeforeAll
    static void open() {
        devices = new RowDevices();
    }

    @AfterAll
    static void close() {
        devices.close();
    }

    private static float[] randomRow(SplittableRandom random) {
        return RowDevices.randomRow(random, VOCABULARY);
    }

    /** Computes the best tokens of rows. */
    private static int[] find(String device, float[]... rows) {
        return devices.compute(
                device, DeviceArgmax::record, maxima -> maxima.read(VOCABULARY), rows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void theOnlyBestTokenOfEachRowIsFound(String name) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(5));
        float[][] rows = new float[ROWS][];
        int[] expected = new int[ROWS];
        for (int i = 0; i < ROWS; i++) {
            rows[i] = randomRow(random);
            expected[i] = random.nextInt(VOCABULARY);
            rows[i][expected[i]] = i % 2 == 0 ? 100 : Math.nextUp(max(rows[i]));
        }
        rows[3][0] = Float.NEGATIVE_INFINITY;
        expected[3] = indexOf(rows[3], max(rows[3]));

        assertEquals(Arrays.toString(expected), Arrays.toString(find(name, rows)));
    }

    private static float max(float[] row) {
        float max = row[0];
        for (float value : row) {
            max = Math.max(max, value);
        }
        return max;
    }

    private static int indexOf(float[] row, float value) {
        for (int i = 0; i < row.length; i++) {
            if (row[i] == value) {
                return i;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void theHostReadsRowsWithTiesNanOrInfinity(String name) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(6));
        float[] tie = randomRow(random);
        tie[17] = 50;
        tie[4000] = 50;
        float[] zeros = new float[VOCABULARY];
        zeros[9] = -0f;
        float[] nan = randomRow(random);
        nan[123] = Float.NaN;
        float[] infinite = randomRow(random);
        infinite[77] = Float.POSITIVE_INFINITY;
        float[] nothing = new float[VOCABULARY];
        Arrays.fill(nothing, Float.NEGATIVE_INFINITY);
        float[] allNan = new float[VOCABULARY];
        Arrays.fill(allNan, Float.NaN);

        int[] found = find(name, tie, zeros, nan, infinite, nothing, allNan);

        assertEquals("[-1, -1, -1, -1, -1, -1]", Arrays.toString(found));
    }

    @Test
    void graphWithManyRowsIsUnchanged() {
        try (GgmlContext context = GgmlContext.open(32, 32)) {
            Graph graph = context.newGraph(32);
            Tensor logits = context.newTensor(GgmlType.F32, 100, ROWS + 1);

            assertTrue(
                    DeviceArgmax.record(
                                    context.ops(),
                                    graph,
                                    logits,
                                    devices.device("cpu").ggmlDevice())
                            .isEmpty());
            assertEquals(0, graph.nodes());
        }
    }
}
