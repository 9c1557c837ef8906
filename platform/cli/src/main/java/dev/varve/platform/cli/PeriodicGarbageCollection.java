package dev.varve.platform.cli;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Collects the garbage of a process that runs for days. The serial collector lets the old
 * generation grow up to the heap's limit before it collects it, so short-lived objects that were
 * promoted fill it, and models need that memory.
 */
final class PeriodicGarbageCollection implements AutoCloseable {
    /** Bytes in use below which no collection is started. */
    static final long FLOOR = 96L << 20;

    private static final int CHECK_SECONDS = 5;

    private final LongSupplier used;
    private final Runnable collector;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("varve-heap").daemon(true).factory());

    /** Upper bound of live bytes: the fewest bytes in use since the last collection. */
    private long liveBytes;

    /**
     * @param used bytes of the heap that are in use
     * @param collector collects all garbage
     */
    PeriodicGarbageCollection(LongSupplier used, Runnable collector) {
        this.used = used;
        this.collector = collector;
    }

    /** Starts watching the heap of this process, until it is closed. */
    static PeriodicGarbageCollection start() {
        // Java's management API reports more, but costs 40 ms of each start.
        Runtime runtime = Runtime.getRuntime();
        PeriodicGarbageCollection trimmer =
                new PeriodicGarbageCollection(
                        () -> runtime.totalMemory() - runtime.freeMemory(), runtime::gc);
        trimmer.clock.scheduleWithFixedDelay(
                trimmer::check, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
        return trimmer;
    }

    /** Collects if more than twice the live bytes, and more than {@link #FLOOR}, are in use. */
    void check() {
        long now = used.getAsLong();
        // Java may have collected by itself, after a large grammar or body became garbage.
        liveBytes = Math.min(liveBytes, now);
        if (now > Math.max(FLOOR, 2 * liveBytes)) {
            collector.run();
            liveBytes = used.getAsLong();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
