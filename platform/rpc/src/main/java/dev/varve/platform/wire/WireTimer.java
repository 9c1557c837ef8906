package dev.varve.platform.wire;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer thread of all channels of the process; one thread per channel would be idle most of the
 * time. Tasks must not block.
 */
final class WireTimer {
    private static final ScheduledThreadPoolExecutor CLOCK = clock();

    private WireTimer() {}

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock =
                new ScheduledThreadPoolExecutor(
                        1, task -> NonBlockingThread.unstarted("varve-wire-clock", task));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    static ScheduledFuture<?> after(long nanos, Runnable task) {
        return CLOCK.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }

    static ScheduledFuture<?> every(long nanos, Runnable task) {
        return CLOCK.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
    }
}
