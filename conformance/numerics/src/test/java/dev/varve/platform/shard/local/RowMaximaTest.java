package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CacheFootprint;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.vulkan.VulkanBackendProvider;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** Best tokens that a device finds, against a plain loop; rows with ties and NaN are refused. */
class RowMaximaTest {
    private static final int VOCABULARY = 5000;
    private static final int ROWS = CacheFootprint.MAX_ROW_MAXIMA;

    private static final Map<String, ComputeDevice> DEVICES = new HashMap<>();

    @BeforeAll
    static void open() {
        // The processor first: it loads the library that other backends join.
        open("cpu", new CpuBackendProvider(), "varve.test.natives");
        try {
            open("vulkan", new VulkanBackendProvider(), "varve.test.natives.vulkan");
        } catch (VarveException e) {
            // Its cases are skipped.
        }
    }

    private static void open(String name, DeviceBackendProvider provider, String property) {
        Path natives = Path.of(System.getProperty(property));
        DEVICES.put(
                name,
                provider.open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(0, DeviceOptions.automatic()));
    }

    @AfterAll
    static void close() {
        DEVICES.values().forEach(ComputeDevice::close);
    }

    private static float[] randomRow(SplittableRandom random) {
        float[] row = new float[VOCABULARY];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) random.nextGaussian(0, 5);
        }
        return row;
    }

    /** Computes the best tokens of rows. */
    private static int[] find(ComputeDevice device, float[]... rows) {
        try (GgmlContext inputs = GgmlContext.open(1, 0);
                GgmlContext nodes = GgmlContext.open(32, 32);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor logits = inputs.newTensor(GgmlType.F32, VOCABULARY, rows.length);
            try (DeviceBuffer buffer = device.bufferType().allocate(logits.bytes())) {
                buffer.place(logits, 0);
                for (int i = 0; i < rows.length; i++) {
                    logits.write(rows[i], 0, VOCABULARY, (long) i * VOCABULARY);
                }
                Ops ops = nodes.ops();
                Graph graph = nodes.newGraph(32);
                RowMaxima maxima =
                        RowMaxima.record(ops, graph, logits, device.ggmlDevice()).orElseThrow();
                allocator.allocate(graph);
                device.compute(graph, Phase.DECODE);
                return maxima.read(VOCABULARY);
            }
        }
    }

    private static ComputeDevice device(String name) {
        assumeTrue(DEVICES.containsKey(name), "no device of " + name);
        return DEVICES.get(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void theOnlyBestTokenOfEachRowIsFound(String name) {
        ComputeDevice device = device(name);
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

        assertEquals(Arrays.toString(expected), Arrays.toString(find(device, rows)));
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
        ComputeDevice device = device(name);
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

        int[] found = find(device, tie, zeros, nan, infinite, nothing, allNan);

        assertEquals("[-1, -1, -1, -1, -1, -1]", Arrays.toString(found));
    }

    @Test
    void aGraphWithManyRowsStaysAsItIs() {
        try (GgmlContext context = GgmlContext.open(32, 32)) {
            Graph graph = context.newGraph(32);
            Tensor logits = context.newTensor(GgmlType.F32, 100, ROWS + 1);

            assertTrue(
                    RowMaxima.record(context.ops(), graph, logits, device("cpu").ggmlDevice())
                            .isEmpty());
            assertEquals(0, graph.nodes());
        }
    }
}
