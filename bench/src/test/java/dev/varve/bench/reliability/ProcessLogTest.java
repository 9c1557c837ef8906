package dev.varve.bench.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.bench.reliability.ProcessLog.Sample;

import org.junit.jupiter.api.Test;

import java.util.List;

class ProcessLogTest {
    @Test
    void slopeIsTheRegressionOverAllSamples() {
        List<Sample> even = List.of(sample(0, 10), sample(10, 10), sample(20, 10), sample(30, 10));
        List<Sample> growing =
                List.of(sample(0, 11), sample(10, 9), sample(20, 29), sample(30, 31));

        assertEquals(0, ProcessLog.slope(even, Sample::mebibytes), 0);
        assertEquals(0, ProcessLog.slope(growing, Sample::threads), 0);
        assertEquals(2, ProcessLog.slope(growing, Sample::descriptors), 1e-12);
        assertEquals(0.8, ProcessLog.slope(growing, Sample::mebibytes), 1e-12);
    }

    private static Sample sample(double seconds, double mebibytes) {
        return new Sample(seconds, mebibytes, 7, 2 * seconds);
    }
}
