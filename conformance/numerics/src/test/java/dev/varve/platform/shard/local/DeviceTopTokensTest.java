package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.TopTokens;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The best tokens that a device finds, against a plain sort; uncertain rows are refused. */
class DeviceTopTokensTest {
    private static final int VOCABULARY = 5000;

    private static RowDevices devices;

    @BeforeAll
    static void open() {
        devices = new RowDevices();
    }

    @AfterAll
    static void close() {
        devices.close();
    }

    private static int[] plainTop(float[] row) {
        return IntStream.range(0, row.length)
                .boxed()
                .sorted(Comparator.comparing((Integer token) -> -row[token]))
                .limit(TopTokens.COUNT)
                .mapToInt(Integer::intValue)
                .sorted()
                .toArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void theBestTokensOfEachRowAreThoseOfASort(String device) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(11));
        float[][] rows = new float[CacheUnitBytes.MAX_ROW_MAXIMA][];
        Arrays.setAll(rows, i -> RowDevices.randomRow(random, VOCABULARY + 7));
        // Equal logits among the best ones, and tokens that no model chooses, are no doubt.
        rows[2][4001] = 60;
        rows[2][17] = 60;
        rows[3][5] = Float.NEGATIVE_INFINITY;

        List<Optional<TopTokens>> found = devices.top(device, rows);

        for (int i = 0; i < rows.length; i++) {
            TopTokens top = found.get(i).orElseThrow();
            int[] expected = plainTop(rows[i]);
            assertArrayEquals(expected, top.ids(), "row " + i);
            for (int j = 0; j < expected.length; j++) {
                assertEquals(rows[i][expected[j]], top.logits()[j], "row " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void theHostReadsRowsWithNanInfinityOrATieAtTheEnd(String device) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(12));
        float[] tie = RowDevices.randomRow(random, VOCABULARY);
        int[] best = plainTop(tie);
        float least = Float.POSITIVE_INFINITY;
        for (int token : best) {
            least = Math.min(least, tie[token]);
        }
        int other =
                IntStream.range(0, VOCABULARY)
                        .filter(token -> Arrays.binarySearch(best, token) < 0)
                        .findFirst()
                        .orElseThrow();
        tie[other] = least;
        float[] equal = new float[VOCABULARY];
        float[] nan = RowDevices.randomRow(random, VOCABULARY);
        nan[123] = Float.NaN;
        float[] infinite = RowDevices.randomRow(random, VOCABULARY);
        infinite[77] = Float.POSITIVE_INFINITY;
        float[] few = new float[VOCABULARY];
        Arrays.fill(few, Float.NEGATIVE_INFINITY);
        few[8] = 1;
        float[] allNan = new float[VOCABULARY];
        Arrays.fill(allNan, Float.NaN);

        List<Optional<TopTokens>> found =
                devices.top(device, tie, equal, nan, infinite, few, allNan);

        assertTrue(found.stream().allMatch(Optional::isEmpty), found.toString());
    }

    @Test
    void aGraphWithManyRowsOrFewTokensStaysAsItIs() {
        try (GgmlContext context = GgmlContext.open(32, 32)) {
            Graph graph = context.newGraph(32);
            Tensor many =
                    context.newTensor(GgmlType.F32, VOCABULARY, CacheUnitBytes.MAX_ROW_MAXIMA + 1);
            Tensor few = context.newTensor(GgmlType.F32, TopTokens.COUNT, 1);

            for (Tensor logits : List.of(many, few)) {
                assertTrue(
                        DeviceTopTokens.record(
                                        context.ops(),
                                        graph,
                                        logits,
                                        devices.device("cpu").ggmlDevice())
                                .isEmpty());
            }
            assertEquals(0, graph.nodes());
        }
    }
}
