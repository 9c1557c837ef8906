package dev.varve.bench.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;

class MemoryLogTest {
    @Test
    void slopeIsTheRegressionOverAllSamples() {
        List<MemoryLog.Sample> even =
                List.of(sample(0, 10), sample(10, 10), sample(20, 10), sample(30, 10));
        List<MemoryLog.Sample> growing =
                List.of(sample(0, 11), sample(10, 9), sample(20, 29), sample(30, 31));

        assertEquals(0, MemoryLog.slope(even), 0);
        assertEquals(0.8, MemoryLog.slope(growing), 1e-12);
    }

    private static MemoryLog.Sample sample(double seconds, double mebibytes) {
        return new MemoryLog.Sample(seconds, mebibytes);
    }
}
