package dev.varve.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Random;

class RatioTest {
    @Test
    void medianIsOverPairwiseRatios() {
        Ratio ratio = new Ratio("speed");
        ratio.add(1, 10);
        ratio.add(30, 10);
        ratio.add(40, 20);

        double median = ratio.median();

        assertEquals(2, median);
    }

    @Test
    void evenNumberOfValuesUsesTheMeanOfTheMiddleTwo() {
        assertEquals(2.5, Ratio.median(4, 1, 3, 2));
    }

    @Test
    void intervalContainsTheMedianAndLiesWithinTheRatios() {
        Random random = new Random(4711);
        for (int trial = 0; trial < 20; trial++) {
            Ratio ratio = new Ratio("trial " + trial);
            for (int pair = 0; pair < 2 + trial; pair++) {
                ratio.add(0.5 + random.nextDouble(), 1);
            }

            Ratio.Interval interval = ratio.interval();

            String found = "trial " + trial + ": " + interval + ", median " + ratio.median();
            assertTrue(interval.low() <= ratio.median(), found);
            assertTrue(interval.high() >= ratio.median(), found);
            assertTrue(interval.low() >= 0.5 && interval.high() <= 1.5, found);
        }
    }

    @Test
    void intervalOfEqualRatiosIsThatRatio() {
        Ratio ratio = new Ratio("speed");
        ratio.add(3, 2);
        ratio.add(6, 4);

        assertEquals(new Ratio.Interval(1.5, 1.5), ratio.interval());
    }

    @Test
    void zeroReferenceIsRefusedByName() {
        Ratio ratio = new Ratio("speed");

        Exception refused = assertThrows(IllegalArgumentException.class, () -> ratio.add(1, 0));

        assertTrue(refused.getMessage().contains("speed"), refused.getMessage());
    }
}
