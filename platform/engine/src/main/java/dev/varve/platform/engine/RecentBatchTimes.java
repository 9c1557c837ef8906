package dev.varve.platform.engine;

import dev.varve.api.backend.ComputeDevice.Phase;

/**
 * Moving averages of the durations of a shard's batches. One thread at a time records them; any
 * thread reads them.
 */
final class RecentBatchTimes {
    /** Weight of the earlier batches when one more is recorded. */
    private static final double DECAY = 1 - 1.0 / 16;

    private static final double NANOS_PER_MILLI = 1e6;

    private volatile ShardStatus.Recent recent = ShardStatus.Recent.NONE;

    void record(Phase phase, int tokens, long nanos) {
        double millis = nanos / NANOS_PER_MILLI;
        ShardStatus.Recent before = recent;
        recent =
                phase == Phase.DECODE
                        ? new ShardStatus.Recent(
                                average(before.decodeMillis(), millis),
                                before.prefillMillisPerToken())
                        : new ShardStatus.Recent(
                                before.decodeMillis(),
                                average(before.prefillMillisPerToken(), millis / tokens));
    }

    private static double average(double before, double now) {
        return before == 0 ? now : DECAY * before + (1 - DECAY) * now;
    }

    ShardStatus.Recent get() {
        return recent;
    }
}
