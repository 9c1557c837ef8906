package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

class PercentilesTest {
    /** Of 20 times, 1 ms to 20 ms: the nearest rank is the smallest that enough are not above. */
    @ParameterizedTest
    @CsvSource({"1, 1", "5, 1", "6, 2", "50, 10", "51, 11", "95, 19", "96, 20", "100, 20"})
    void percentileIsTheNearestRank(int percent, double expected) {
        List<Long> times = new ArrayList<>();
        for (long millis = 1; millis <= 20; millis++) {
            times.add(millis * 1_000_000);
        }
        Collections.shuffle(times, new Random(percent));

        assertEquals(expected, Percentiles.of(times).millis(percent));
    }

    @Test
    void singleTimeIsEveryPercentile() {
        Percentiles one = Percentiles.of(List.of(2_500_000L));

        assertEquals(2.5, one.millis(1));
        assertEquals(2.5, one.millis(95));
    }

    @Test
    void emptyTimesAndPercentagesOutOfRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Percentiles.of(List.of()));
        Percentiles one = Percentiles.of(List.of(1L));
        assertThrows(IllegalArgumentException.class, () -> one.millis(0));
        assertThrows(IllegalArgumentException.class, () -> one.millis(101));
    }
}
