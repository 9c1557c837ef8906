package dev.varve.platform.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;

class LayerPartitionerTest {
    private static List<Double> weights(String text) {
        return Arrays.stream(text.split(" ")).map(Double::valueOf).toList();
    }

    private static List<LayerRange> split(int layers, List<Double> weights) {
        return LayerPartitioner.split(layers, weights.size(), weights);
    }

    @ParameterizedTest
    @CsvSource({
        "64, 0.08 0.46 0.46, '[0, 5) [5, 35) [35, 64)'",
        "64, 1 1, '[0, 32) [32, 64)'",
        "64, 1 3, '[0, 16) [16, 64)'",
        "64, 1 1 1, '[0, 21) [21, 43) [43, 64)'",
        "35, 1 1, '[0, 18) [18, 35)'",
        "35, 1 1 1, '[0, 12) [12, 23) [23, 35)'",
        "35, 1 1 1 1, '[0, 9) [9, 18) [18, 26) [26, 35)'",
        "35, 3 1, '[0, 26) [26, 35)'",
        "35, 1 4, '[0, 7) [7, 35)'",
        "35, 14 21, '[0, 14) [14, 35)'",
        "40, 0.9 0.1, '[0, 36) [36, 40)'",
        "43, 24 19, '[0, 24) [24, 43)'",
        "5, 1 1, '[0, 3) [3, 5)'",
        "65, 1 1, '[0, 33) [33, 65)'",
        "4, 100 1 1, '[0, 2) [2, 3) [3, 4)'",
        "4, 1 1 100, '[0, 1) [1, 2) [2, 4)'",
        "3, 0.001 0.001 1, '[0, 1) [1, 2) [2, 3)'",
    })
    void rangesEndAtTheRoundedCumulativeShare(int layers, String weights, String expected) {
        assertEquals(expected, LayerPartitioner.describe(split(layers, weights(weights))));
    }

    @Test
    void noWeightsMeanEqualOnes() {
        assertEquals(split(35, List.of(1.0, 1.0, 1.0)), LayerPartitioner.split(35, 3));
    }

    @ParameterizedTest
    @CsvSource({"2, 1 1 1", "0, 1", "4, 0 0", "4, NaN 1", "4, Infinity 1", "4, -1 2"})
    void impossibleSplitsAreRefused(int layers, String weights) {
        assertThrows(IllegalArgumentException.class, () -> split(layers, weights(weights)));
        assertThrows(
                IllegalArgumentException.class,
                () -> LayerPartitioner.split(4, 2, List.of(1.0, 1.0, 1.0)));
        assertThrows(IllegalArgumentException.class, () -> LayerPartitioner.split(4, 0));
    }

    @Property(tries = 500)
    void rangesTileTheLayersAndNoneIsEmpty(
            @ForAll @IntRange(min = 6, max = 200) int layers,
            @ForAll @Size(min = 1, max = 6)
                    List<@DoubleRange(min = 1e-6, max = 1e6) @Scale(6) Double> weights) {
        List<LayerRange> ranges = split(layers, weights);

        int next = 0;
        for (LayerRange range : ranges) {
            assertEquals(next, range.begin());
            next = range.end();
        }
        assertEquals(layers, next);
        assertEquals(weights.size(), ranges.size());
    }

    @Property(tries = 500)
    void onlyTheRatiosOfTheWeightsMatter(
            @ForAll @IntRange(min = 6, max = 200) int layers,
            @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 1, max = 10_000) Integer> weights,
            @ForAll @IntRange(min = 2, max = 1000) int factor) {
        List<Double> whole = weights.stream().map(Integer::doubleValue).toList();
        List<Double> multiplied = weights.stream().map(w -> (double) w * factor).toList();
        List<Double> hundredths = weights.stream().map(w -> w / 100.0).toList();

        assertEquals(split(layers, whole), split(layers, multiplied));
        assertEquals(split(layers, whole), split(layers, hundredths));
    }

    @Test
    void boundaryMovedByTheFamilyIsExplained() {
        KvSharingModel model = new KvSharingModel(35, 20);

        LayerPartitioner.Aligned aligned =
                LayerPartitioner.align(model, LayerPartitioner.split(35, 2));

        String moved = aligned.moved().orElseThrow();
        assertTrue(moved.contains("from [0, 18) [18, 35) to [0, 13) [13, 35)"), moved);
        assertTrue(moved.contains("layers 15 to 34 use the KV cache"), moved);
        assertTrue(moved.contains("from 13 on"), moved);
        assertTrue(
                LayerPartitioner.align(model, split(35, weights("1 4"))).moved().isEmpty(),
                "7 <= 13");
    }
}
