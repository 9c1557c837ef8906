package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RoutingTest {
    @Test
    void oneNormalizedExpertHasTheWeightOfTheScale() {
        assertEquals(2.5, new Routing(8, 1, true, 0.1, true, 2.5).typicalSize(), 1e-12);
    }

    @Test
    void moreExpertsAverageOut() {
        double four = Routing.softmax(16, 4).typicalSize();

        assertTrue(four > 0.5 && four < 0.75, "size " + four);
    }

    @Test
    void sigmoidsOfTheBestAreAlmostOne() {
        double size = new Routing(64, 4, true, 0, false, 1).typicalSize();

        assertTrue(size > 1.8 && size < 2, "size " + size);
    }

    @Test
    void strongBiasSelectsRegardlessOfScores() {
        double size = new Routing(64, 4, true, 100, false, 1).typicalSize();

        // The mean square of the sigmoid of a gaussian of 1.5 is 0.33.
        assertEquals(Math.sqrt(4 * 0.33), size, 0.1);
    }

    @Test
    void moreActiveExpertsThanExpertsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Routing.softmax(4, 5));
    }
}
