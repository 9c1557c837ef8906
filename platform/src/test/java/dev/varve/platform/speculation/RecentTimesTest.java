package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.stream.LongStream;

class RecentTimesTest {
    private static long median(long... nanos) {
        RecentTimes times = new RecentTimes();
        LongStream.of(nanos).forEach(times::add);
        return times.median();
    }

    @Test
    void saysNothingOfTwoTimes() {
        assertEquals(0, median());
        assertEquals(0, median(7, 7));
        assertEquals(7, median(7, 7, 7));
    }

    @Test
    void aLongTimeAmongShortOnesCountsForNothing() {
        assertEquals(5, median(50_000, 5, 6));
        assertEquals(5, median(50_000, 6, 6, 5, 40_000, 5, 5));
        assertEquals(6, median(50_000, 6, 6, 5, 40_000, 5, 6, 6, 7));
    }

    @Test
    void onlyTheNewestCount() {
        assertEquals(2, median(9, 9, 9, 9, 9, 9, 9, 9, 9, 2, 2, 2, 2, 2));
    }
}
