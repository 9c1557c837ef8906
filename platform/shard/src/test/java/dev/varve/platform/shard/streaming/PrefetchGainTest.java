package dev.varve.platform.shard.streaming;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

class PrefetchGainTest {
    private static final int LAYERS = 20 * PrefetchGain.PERIOD;

    /** Layers with times that vary by a factor of up to 2, and pauses of other processes. */
    @ParameterizedTest
    @CsvSource({"100, 100", "150, 100", "99, 100", "60, 100"})
    void fasterWayIsUsedUpToTheTrials(long with, long without) {
        PrefetchGain gain = new PrefetchGain();
        Random random = new Random(4711);
        double time = 0;
        double plain = 0;
        double best = 0;
        for (int layer = 0; layer < LAYERS; layer++) {
            double factor =
                    random.nextInt(50) == 0 ? 40 : 1 + random.nextDouble() * (1 + layer % 4 / 4.0);
            double nanos = factor * 1000 * (gain.isWorthIt() ? with : without);
            gain.record((long) nanos);
            time += nanos;
            plain += factor * 1000 * without;
            best += factor * 1000 * Math.min(with, without);
        }

        assertTrue(time <= plain / 0.98, time + " without reads ahead " + plain);
        assertTrue(time <= 1.06 * best, time + " at best " + best);
    }
}
