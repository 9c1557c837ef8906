package dev.varve.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.Usage;
import dev.varve.fleet.StepCosts;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/** Tests the figures of a comparison between servers and simulator. */
class ReplayedTest {
    @Test
    void costsExplainMeasurements() {
        // one stream: 10 + 2 ms a step; eight: 10 + 16 ms; 600 tokens: 2 steps of 10 ms, 1 ms each
        StepCalibration.Measured measured =
                StepCalibration.of(12_000_000, 26_000_000, 620_000_000, 600);

        assertEquals(new StepCosts(10_000_000, 2_000_000, 1_000_000), measured.costs());
        assertEquals(1, measured.tokensPerWord());
    }

    @Test
    void deviationsAreRelativeToMeasurements() {
        Answer answer =
                new Answer(
                        0,
                        List.of(200_000_000L, 300_000_000L),
                        300_000_000,
                        Optional.of(new Usage(98, 2, 49)));

        Replayed measured = Replayed.of(List.of(answer), 1_000_000_000);

        assertEquals(new Replayed(200, 200, 100, 0.5), measured);
        String table = Replayed.table(measured, new Replayed(230, 180, 100, 0.55));
        assertTrue(table.contains("| TTFT p50 ms | 200.0 | 230.0 | +15.0 % |"), table);
        assertTrue(table.contains("| TTFT p95 ms | 200.0 | 180.0 | -10.0 % |"), table);
        assertTrue(table.contains("| hit rate % | 50.0 | 55.0 | +10.0 % |"), table);
        assertTrue(table.contains("| tokens/s | 100.0 | 100.0 | +0.0 % |"), table);
    }
}
