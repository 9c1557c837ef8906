package dev.varve.platform.shard.scoring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.model.LayerRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.OptionalInt;

class ScoringLayersTest {
    @ParameterizedTest
    @CsvSource({
        "28, 7,  7,  0,  7",
        "28, 7,  28, 21, 28",
        "28, -1, 28, 0,  28",
        "28, -1, 14, 0,  14",
        "28, 14, 7,  0,  7",
        "28, 28, 28, 0,  28",
        "28, 7,  14, 7,  14",
        "28, 40, 14, 0,  14",
        "28, -1, -1, 0,  28",
        "28, 7,  -1, 21, 28",
        "28, 1,  40, 27, 28",
        "1,  1,  1,  0,  1",
    })
    void lastComputedLayersAreScored(int layers, int last, int exit, int begin, int end) {
        LayerRange range = ScoringLayers.of(layers, optional(last), optional(exit));

        assertEquals(new LayerRange(begin, end), range);
    }

    @Test
    void countsArePositive() {
        for (int[] numbers : new int[][] {{0, 1, 1}, {28, 0, 1}, {28, 1, 0}, {28, -7, 1}}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            ScoringLayers.of(
                                    numbers[0],
                                    OptionalInt.of(numbers[1]),
                                    OptionalInt.of(numbers[2])));
        }
    }

    private static OptionalInt optional(int number) {
        return number == -1 ? OptionalInt.empty() : OptionalInt.of(number);
    }
}
