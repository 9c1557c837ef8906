package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.backend.ComputeDevice.Phase;

import org.junit.jupiter.api.Test;

class RecentBatchTimesTest {
    private final RecentBatchTimes times = new RecentBatchTimes();

    @Test
    void nothingIsKnownBeforeTheFirstBatch() {
        assertEquals(ShardStatus.Recent.NONE, times.get());
    }

    @Test
    void firstBatchOfAKindIsTheEstimate() {
        times.record(Phase.DECODE, 1, 8_000_000);
        times.record(Phase.PREFILL, 4, 8_000_000);

        assertEquals(new ShardStatus.Recent(8, 2), times.get());
    }

    @Test
    void olderBatchesCountLess() {
        times.record(Phase.DECODE, 1, 800_000_000);
        for (int i = 0; i < 200; i++) {
            times.record(Phase.DECODE, 1, 8_000_000);
        }

        assertEquals(8, times.get().decodeMillis(), 0.01);
    }
}
