package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

final class SplitMix64Test {
    @Test
    void generatorMatchesThePublishedNumbers() {
        SplitMix64 random = new SplitMix64(1234567);

        assertEquals(6457827717110365317L, random.nextLong());
        assertEquals(3203168211198807973L, random.nextLong());
        assertEquals(Long.parseUnsignedLong("9817491932198370423"), random.nextLong());
        assertEquals(4593380528125082431L, random.nextLong());
        assertEquals(Long.parseUnsignedLong("16408922859458223821"), random.nextLong());
    }

    /** The class of the JDK uses the same algorithm today, but does not promise it. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, Long.MIN_VALUE, 4711})
    void generatorMatchesAnIndependentImplementation(long seed) {
        SplitMix64 random = new SplitMix64(seed);
        SplittableRandom reference = new SplittableRandom(seed);

        for (int i = 0; i < 1000; i++) {
            assertEquals(reference.nextLong(), random.nextLong(), "seed " + seed + ", number " + i);
        }
    }

    @Test
    void uniformNumbersStayBelowOne() {
        SplitMix64 random = new SplitMix64(2);

        for (int i = 0; i < 100_000; i++) {
            double uniform = random.nextUniform();
            assertTrue(uniform >= 0 && uniform < 1, "found " + uniform);
        }
    }
}
